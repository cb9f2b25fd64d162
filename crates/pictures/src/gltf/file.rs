//! A binary glTF file under construction: numbers are appended to its buffer, and their description to its JSON.

use firstcontact::error::{Error, Result};
use firstcontact::robot::Triangle;
use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Buffer, Target, View};
use gltf_json::material::{Material, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mesh, Mode, Primitive, Semantic};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Index, Root};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

/// The first bytes of a GLB file, and the types of its two chunks (glTF 2.0, section 4.4).
const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";
/// Number of vertices that 16-bit indices can address; the last number is reserved.
const SHORT: usize = 65_535;

/// The file; `root` may be extended directly.
#[derive(Debug, Default)]
pub struct File {
    pub root: Root,
    buffer: Vec<u8>,
    /// Accessors of times, by the bits of the keys.
    times: HashMap<Vec<u32>, Index<Accessor>>,
}

impl File {
    /// A non-metallic surface, visible from both sides; red, green, blue as displayed.
    pub fn material(&mut self, name: &str, [r, g, b]: [u8; 3]) -> Index<Material> {
        let linear = |c: u8| (f32::from(c) / 255.0).powf(2.2);
        let pbr_metallic_roughness = PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([linear(r), linear(g), linear(b), 1.0]),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.8),
            ..PbrMetallicRoughness::default()
        };
        let name = Some(name.to_string());
        self.root.push(Material { name, double_sided: true, pbr_metallic_roughness, ..Material::default() })
    }

    /// Triangles as a mesh; vertices with equal coordinates are merged. `None` if all triangles degenerate to points or
    /// edges.
    pub fn mesh(&mut self, triangles: &[Triangle], material: Index<Material>) -> Option<Index<Mesh>> {
        let mut numbers = HashMap::new();
        let (mut vertices, mut indices) = (Vec::<[f32; 3]>::new(), Vec::<u32>::new());
        for triangle in triangles {
            // The addition of zero turns -0 into 0.
            let corners = triangle.map(|v| (v + 0.0).as_vec3().to_array());
            let [a, b, c] = corners.map(|v| {
                *numbers.entry(v.map(f32::to_bits)).or_insert_with(|| {
                    vertices.push(v);
                    vertices.len() as u32 - 1
                })
            });
            if a != b && b != c && c != a {
                indices.extend([a, b, c]);
            }
        }
        if indices.is_empty() {
            return None;
        }
        let positions = self.vectors(&vertices, Some(Valid(Target::ArrayBuffer)));
        let (kind, bytes): (_, Vec<u8>) = if vertices.len() < SHORT {
            (ComponentType::U16, indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect())
        } else {
            (ComponentType::U32, indices.iter().flat_map(|i| i.to_le_bytes()).collect())
        };
        let view = self.view(&bytes, Some(Valid(Target::ElementArrayBuffer)));
        let indices = self.root.push(accessor(view, indices.len(), kind, Type::Scalar));
        let primitive = Primitive {
            attributes: BTreeMap::from([(Valid(Semantic::Positions), positions)]),
            extensions: None,
            extras: None,
            indices: Some(indices),
            material: Some(material),
            mode: Valid(Mode::Triangles),
            targets: None,
        };
        Some(self.root.push(Mesh {
            extensions: None,
            extras: None,
            name: None,
            primitives: vec![primitive],
            weights: None,
        }))
    }

    /// Vectors, with their bounds.
    pub fn vectors(
        &mut self,
        vectors: &[[f32; 3]],
        target: Option<gltf_json::validation::Checked<Target>>,
    ) -> Index<Accessor> {
        let view = self.view(bytemuck::cast_slice(vectors), target);
        let mut accessor = accessor(view, vectors.len(), ComponentType::F32, Type::Vec3);
        let bound = |of: fn(f32, f32) -> f32| {
            vectors.iter().copied().reduce(|a, b| std::array::from_fn(|i| of(a[i], b[i]))).map(|v| json!(v))
        };
        (accessor.min, accessor.max) = (bound(f32::min), bound(f32::max));
        self.root.push(accessor)
    }

    /// Quaternions, or other vectors of four numbers.
    pub fn quadruples(&mut self, values: &[[f32; 4]]) -> Index<Accessor> {
        let view = self.view(bytemuck::cast_slice(values), None);
        self.root.push(accessor(view, values.len(), ComponentType::F32, Type::Vec4))
    }

    /// The times of keys, in increasing order.
    pub fn times(&mut self, times: &[f32]) -> Index<Accessor> {
        let bits: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
        if let Some(&known) = self.times.get(&bits) {
            return known;
        }
        let view = self.view(bytemuck::cast_slice(times), None);
        let mut accessor = accessor(view, times.len(), ComponentType::F32, Type::Scalar);
        let [min, max] = [times.first(), times.last()].map(|time| time.map(|time| json!([time])));
        (accessor.min, accessor.max) = (min, max);
        let index = self.root.push(accessor);
        self.times.insert(bits, index);
        index
    }

    /// Appends bytes to the buffer.
    fn view(&mut self, bytes: &[u8], target: Option<gltf_json::validation::Checked<Target>>) -> Index<View> {
        let offset = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        // The next bytes begin at a multiple of the size of the largest number type.
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: bytes.len().into(),
            byte_offset: Some(offset.into()),
            byte_stride: None,
            name: None,
            target,
            extensions: None,
            extras: None,
        })
    }

    /// The whole file.
    ///
    /// # Errors
    /// It would be larger than the 4 GiB that the format allows.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.root.buffers = vec![Buffer {
            byte_length: self.buffer.len().into(),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        }];
        let mut json = self.root.to_vec().map_err(|e| Error::usage(format!("glTF: {e}")))?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let too_large =
            |_| Error::usage("more than the 4 GiB of a GLB file").remedy("show fewer triangles of the scene");
        let length = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(too_large);
        let total = 12 + 8 + json.len() + 8 + self.buffer.len();
        let mut out = Vec::with_capacity(total);
        out.extend_from_slice(MAGIC);
        out.extend(2u32.to_le_bytes());
        out.extend(length(total)?);
        for (kind, chunk) in [(JSON_CHUNK, &json), (BINARY_CHUNK, &self.buffer)] {
            out.extend(length(chunk.len())?);
            out.extend_from_slice(kind);
            out.extend_from_slice(chunk);
        }
        Ok(out)
    }
}

fn accessor(view: Index<View>, count: usize, kind: ComponentType, type_: Type) -> Accessor {
    Accessor {
        buffer_view: Some(view),
        byte_offset: None,
        count: count.into(),
        component_type: Valid(GenericComponentType(kind)),
        extensions: None,
        extras: None,
        type_: Valid(type_),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    }
}
