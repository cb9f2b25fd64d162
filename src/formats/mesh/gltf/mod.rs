//! glTF 2.0, as JSON or in its binary container: the triangles of the scene's nodes, with the nodes' transforms.
//! Coordinates are kept as stored, whichever axis is up. Each named node is a group. Unsupported features that would
//! move or multiply triangles (skins, morph weights, sparse accessors, compression, instancing) are errors.

mod accessor;
mod buffers;
mod document;

use super::Builder;
use crate::error::{Error, Result, quoted, shortened};
use crate::io::load::LoadLimits;
use document::{Document, Node};
use glam::{DAffine3, DMat4, DQuat, DVec3};
use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

/// Maximum nesting of nodes: more than any reasonable scene has, and far less than the stack allows.
const MAX_DEPTH: usize = 200;

pub(super) fn read(bytes: &[u8], folder: &Path, limits: &LoadLimits, out: &mut Builder) -> Result<()> {
    let (json, binary) = if bytes.starts_with(b"glTF") { buffers::container(bytes)? } else { (bytes, None) };
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let document: Document = serde_json::from_slice(json)
        .map_err(|cause| Error::input(format!("JSON: {}", shortened(&cause.to_string(), 200))))?;
    if !document.asset.version.starts_with("2.") {
        return Err(Error::input(format!("glTF version {}, expected 2.0", quoted(&document.asset.version))));
    }
    const HARMLESS: &[&str] =
        &["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization"];
    if let Some(name) = document.extensions_required.iter().find(|e| !HARMLESS.iter().any(|h| e.starts_with(h))) {
        return Err(Error::input(format!("it requires the extension {}, which is not supported", quoted(name))));
    }
    let buffers = buffers::load(&document, binary, folder, limits)?;
    let mut walk = Walk {
        met: vec![false; document.nodes.len()],
        meshes: vec![None; document.meshes.len()],
        document: &document,
        buffers,
        out,
    };
    let roots = match (document.scene.unwrap_or(0), &document.scenes[..]) {
        // Without a scene, all nodes that have no parent.
        (_, []) => {
            let mut is_child = vec![false; document.nodes.len()];
            for &child in document.nodes.iter().flat_map(|n| &n.children) {
                if let Some(mark) = is_child.get_mut(child) {
                    *mark = true;
                }
            }
            (0..is_child.len()).filter(|&i| !is_child[i]).collect()
        }
        (i, scenes) => scenes.get(i).ok_or_else(|| Error::input(format!("scene {i} does not exist")))?.nodes.clone(),
    };
    roots.into_iter().try_for_each(|root| walk.node(root, DAffine3::IDENTITY, 0))
}

/// A run of vertices that form triangles in one way.
struct Run {
    mode: u32,
    points: Vec<DVec3>,
}

/// The document while its nodes are traversed.
struct Walk<'a, 'b> {
    document: &'a Document,
    buffers: Vec<Cow<'a, [u8]>>,
    /// The runs of the meshes read so far.
    meshes: Vec<Option<Rc<Vec<Run>>>>,
    met: Vec<bool>,
    out: &'b mut Builder,
}

impl Walk<'_, '_> {
    fn node(&mut self, i: usize, parent: DAffine3, depth: usize) -> Result<()> {
        let here = |e: Error| e.at(format!("node {i}"));
        let node = self.document.nodes.get(i).ok_or_else(|| here(Error::input("it does not exist")))?;
        if std::mem::replace(&mut self.met[i], true) || depth > MAX_DEPTH {
            return Err(here(Error::input("it has several parents, is its own ancestor, or is nested too deeply")));
        }
        if node.extensions.contains_key("EXT_mesh_gpu_instancing") {
            return Err(here(Error::input("instancing (EXT_mesh_gpu_instancing) is not supported")));
        }
        let world = parent * transform(node).map_err(here)?;
        if let Some(mesh) = node.mesh {
            if node.skin.is_some() || node.weights.iter().any(|&w| w != 0.0) {
                return Err(here(Error::input("skins and morph weights are not supported")));
            }
            self.out.own_group(node.name.as_deref());
            for run in self.mesh(mesh).map_err(|e| e.at(format!("node {i}, mesh {mesh}")))?.iter() {
                let placed: Vec<DVec3> = run.points.iter().map(|&p| world.transform_point3(p)).collect();
                match run.mode {
                    4 => placed.chunks(3).try_for_each(|t| self.out.polygon(t)),
                    5 => self.out.strip(&placed),
                    _ => self.out.polygon(&placed),
                }
                .map_err(here)?;
            }
        }
        node.children.iter().try_for_each(|&child| self.node(child, world, depth + 1))
    }

    /// The triangle runs of a mesh, read once.
    fn mesh(&mut self, i: usize) -> Result<Rc<Vec<Run>>> {
        let mesh = self.document.meshes.get(i).ok_or_else(|| Error::input("it does not exist"))?;
        if let Some(known) = &self.meshes[i] {
            return Ok(Rc::clone(known));
        }
        if mesh.weights.iter().any(|&w| w != 0.0) {
            return Err(Error::input("morph weights are not supported"));
        }
        let mut runs = Vec::new();
        let mut n_points = 0usize;
        for primitive in &mesh.primitives {
            let mode = primitive.mode.unwrap_or(4);
            match mode {
                0..=3 => continue,
                4..=6 => {}
                _ => return Err(Error::input(format!("the primitive mode {mode} is not supported"))),
            }
            let position = primitive.attributes.get("POSITION").ok_or_else(|| Error::input("it has no POSITION"))?;
            let vertices = self.numbers(*position, 3)?;
            let indices = primitive.indices.map(|i| self.numbers(i, 1)).transpose()?;
            let n = indices.as_ref().map_or(vertices.count, |i| i.count);
            n_points += n;
            self.out.check_room(n_points / 3)?;
            let mut points = Vec::with_capacity(n);
            for corner in 0..n {
                let vertex = indices.as_ref().map_or(corner, |i| i.get(corner, 0) as usize);
                if vertex >= vertices.count {
                    let message = format!("vertex {vertex} is out of range, there are {}", vertices.count);
                    return Err(Error::input(message));
                }
                points.push(DVec3::new(vertices.get(vertex, 0), vertices.get(vertex, 1), vertices.get(vertex, 2)));
            }
            if mode == 4 && points.len() % 3 != 0 {
                return Err(Error::input(format!("{} corners are not a multiple of 3", points.len())));
            }
            if !points.is_empty() {
                runs.push(Run { mode, points });
            }
        }
        let runs = Rc::new(runs);
        self.meshes[i] = Some(Rc::clone(&runs));
        Ok(runs)
    }
}

/// The transform of a node to its parent.
fn transform(node: &Node) -> Result<DAffine3> {
    if let Some(columns) = node.matrix {
        let matrix = DMat4::from_cols_array(&columns);
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            return Err(Error::input("the last row of its matrix is not 0 0 0 1"));
        }
        return Ok(DAffine3::from_mat4(matrix));
    }
    let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    if !(rotation.length() - 1.0).abs().le(&1e-3) {
        return Err(Error::input("its rotation is not a unit quaternion"));
    }
    Ok(DAffine3::from_scale_rotation_translation(
        node.scale.unwrap_or([1.0; 3]).into(),
        rotation.normalize(),
        node.translation.unwrap_or([0.0; 3]).into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{groups, numbers, parse};
    use crate::io::load::LoadLimits;
    use base64::Engine;
    use serde_json::{Value, json};

    fn buffer() -> Vec<u8> {
        let points: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut bytes: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend([0u16, 1, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
        bytes
    }

    fn document(mode: u32) -> Value {
        json!({
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": [
                {"name": "outer", "mesh": 0, "translation": [1, 2, 3], "children": [1]},
                {"mesh": 0, "scale": [2, 2, 2], "rotation": [0, 0, 1, 0]},
                {"name": "in no scene", "mesh": 0},
            ],
            "meshes": [{"primitives": [
                {"attributes": {"POSITION": 0}, "indices": 1, "mode": mode},
                {"attributes": {}, "mode": 1},
            ]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5123, "count": if mode == 4 { 3 } else { 4 }, "type": "SCALAR"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteLength": 48},
                {"buffer": 0, "byteOffset": 48, "byteLength": 8},
            ],
            "buffers": [{"byteLength": 56}],
        })
    }

    fn glb(document: &Value, buffer: &[u8]) -> Vec<u8> {
        let mut json = document.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut bytes = b"glTF".to_vec();
        let total = 12 + 8 + json.len() + 8 + buffer.len();
        for word in [2, total as u32, json.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(b"JSON");
        bytes.extend(json);
        bytes.extend((buffer.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(buffer);
        bytes
    }

    #[test]
    fn lists_strips_and_fans_with_transforms() {
        let p = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 3.0, 3.0], [1.0, 2.0, 4.0]];
        for (mode, corners) in [(4, vec![[0, 1, 2]]), (5, vec![[0, 1, 2], [2, 1, 3]]), (6, vec![[0, 1, 2], [0, 2, 3]])]
        {
            let mesh = parse(MeshFormat::Gltf, &glb(&document(mode), &buffer())).unwrap();
            let n = corners.len();
            assert_eq!(groups(&mesh), [(Some("outer"), n), (None, n)]);
            let expected: Vec<_> = corners.iter().map(|t| t.map(|i: usize| p[i])).collect();
            assert_eq!(numbers(&mesh)[..n], expected);
            // The inner node: half a turn about z, twice the size.
            assert_eq!(numbers(&mesh)[n][1], [-1.0, 2.0, 3.0]);
        }
    }

    #[test]
    fn json_with_an_embedded_or_separate_buffer() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a b.bin"), buffer()).unwrap();
        let data = base64::engine::general_purpose::STANDARD.encode(buffer());
        for uri in [format!("data:application/octet-stream;base64,{data}"), "a%20b.bin".to_string()] {
            let mut document = document(4);
            document["buffers"][0]["uri"] = json!(uri);
            let text = document.to_string();
            let limits = LoadLimits::default();
            let mesh = super::super::Mesh::parse(MeshFormat::Gltf, text.as_bytes(), folder.path(), &limits).unwrap();
            assert_eq!(mesh.triangles.len(), 2);
        }
    }

    #[test]
    fn features_that_would_change_the_triangles_are_refused() {
        let refused = |pointer: &str, value: Value, word: &str| {
            let mut document = document(4);
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[key] = value;
            let error = parse(MeshFormat::Gltf, &glb(&document, &buffer())).unwrap_err().to_string();
            assert!(error.contains(word), "{pointer}: {error}");
        };
        refused("/nodes/0/skin", json!(0), "skins");
        refused("/nodes/0/weights", json!([0.5]), "morph");
        refused("/meshes/0/weights", json!([0.5]), "morph");
        refused("/nodes/1/extensions", json!({"EXT_mesh_gpu_instancing": {}}), "instancing");
        refused("/extensionsRequired", json!(["KHR_draco_mesh_compression"]), "draco");
        refused("/accessors/0/sparse", json!({}), "sparse");
        refused("/nodes/1/children", json!([0]), "ancestor");
        refused("/nodes/0/children", json!([1, 1]), "several parents");
        refused("/nodes/0/matrix", json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), "last row");
        refused("/nodes/1/rotation", json!([0, 0, 0, 0]), "unit quaternion");
        refused("/accessors/0/count", json!(4_000_000_000u64), "truncated");
        refused("/accessors/0/count", json!(u64::MAX), "truncated");
        refused("/accessors/1/byteOffset", json!(u64::MAX), "truncated");
        refused("/bufferViews/0/byteStride", json!(4), "truncated");
        refused("/accessors/0/type", json!("VEC2"), "type");
        refused("/accessors/0/componentType", json!(5125), "component type");
        refused("/buffers/0/byteLength", json!(57), "truncated");
        refused("/scene", json!(1), "scene 1");
        refused("/asset/version", json!("1.0"), "2.0");
    }
}
