//! Textures and pipelines of a picture, and the passes of an exposure.

use super::exposure::{LIGHTS, SHADOW_PX};
use super::{Corner, Frame, Gpu, Paint};
use wgpu::util::DeviceExt;
use wgpu::{ColorWrites, CompareFunction, LoadOp, StoreOp, TextureFormat, TextureUsages, TextureView};

/// Light, linear.
const LIGHT: TextureFormat = TextureFormat::Rgba16Float;
const PIXELS: TextureFormat = TextureFormat::Rgba8UnormSrgb;
const DISTANCE: TextureFormat = TextureFormat::Rgba32Float;
const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// The distance of nothing.
const NOWHERE: wgpu::Color = wgpu::Color { r: 1e30, g: 1e30, b: 1e30, a: 0.0 };
/// Corners of one buffer: far below what every adapter can hold, and whole triangles.
const MAX_BATCH: usize = 3 << 19;
const ALL_VERTICES: std::ops::Range<u32> = 0..3;

/// Corners on the device.
struct Batch {
    corners: wgpu::Buffer,
    n_corners: u32,
}

/// A layer on the device.
struct Painted {
    paint: Paint,
    batches: Vec<Batch>,
    pipeline: wgpu::RenderPipeline,
}

/// Everything that the exposures of a picture share.
pub struct Easel<'g> {
    device: &'g wgpu::Device,
    size: wgpu::Extent3d,
    background: wgpu::Color,
    layers: Vec<Painted>,
    uniform_layout: wgpu::BindGroupLayout,
    light: TextureView,
    sum: TextureView,
    picture: wgpu::Texture,
    distances: TextureView,
    depth: TextureView,
    shadows: Vec<TextureView>,
    surroundings: wgpu::BindGroup,
    light_group: wgpu::BindGroup,
    sum_group: wgpu::BindGroup,
    shadow: wgpu::RenderPipeline,
    distance: [wgpu::RenderPipeline; 3],
    hidden_mark: wgpu::RenderPipeline,
    accumulate: wgpu::RenderPipeline,
    finish: wgpu::RenderPipeline,
}

impl<'g> Easel<'g> {
    /// Uploads the layers and makes what exposures need.
    pub fn new(gpu: &'g Gpu, text: &str, frame: &Frame) -> Self {
        let device = &gpu.device;
        let [width, height] = frame.size;
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("render"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let layouts = Layouts::new(device);
        let make = Pipelines { device, module: &module, layouts: &layouts };
        let layers = Paint::ALL.into_iter().filter_map(|paint| {
            let corners = frame.layers.iter().filter(|l| l.paint == paint).flat_map(|l| l.corners.chunks(MAX_BATCH));
            let batches: Vec<Batch> = corners.map(|batch| upload(device, batch)).collect();
            let pipeline = || make.layer(paint.entry_points(), CompareFunction::Less);
            (!batches.is_empty()).then(|| Painted { paint, batches, pipeline: pipeline() })
        });
        let layers = layers.collect();
        let texture = |size, format, usage| texture(device, size, format, TextureUsages::RENDER_ATTACHMENT | usage);
        let whole = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let light = whole(&texture(size, LIGHT, TextureUsages::TEXTURE_BINDING));
        let sum = whole(&texture(size, LIGHT, TextureUsages::TEXTURE_BINDING));
        let distances = whole(&texture(size, DISTANCE, TextureUsages::TEXTURE_BINDING));
        let map_size = wgpu::Extent3d { width: SHADOW_PX, height: SHADOW_PX, depth_or_array_layers: LIGHTS as u32 };
        let maps = texture(map_size, DEPTH, TextureUsages::TEXTURE_BINDING);
        let map = |i: u32| {
            maps.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: i,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let [r, g, b] = frame.lens.background.to_array().map(f64::from);
        let [red, green, blue] = [ColorWrites::RED, ColorWrites::GREEN, ColorWrites::BLUE];
        Self {
            device,
            size,
            background: wgpu::Color { r, g, b, a: 1.0 },
            layers,
            picture: texture(size, PIXELS, TextureUsages::COPY_SRC),
            depth: whole(&texture(size, DEPTH, TextureUsages::empty())),
            shadows: (0..LIGHTS as u32).map(map).collect(),
            surroundings: layouts.bind_surroundings(device, &distances, &whole(&maps)),
            light_group: layouts.bind_image(device, &light),
            sum_group: layouts.bind_image(device, &sum),
            shadow: make.shadow(),
            distance: [red, red | green, red | green | blue].map(|channels| make.distance(channels)),
            hidden_mark: make.layer(["corner", "hidden_mark"], CompareFunction::Greater),
            accumulate: make.image("accumulate", LIGHT),
            finish: make.image("finish", PIXELS),
            uniform_layout: layouts.uniforms,
            light,
            sum,
            distances,
        }
    }

    /// Records an exposure, and its addition to the sum.
    pub fn expose(&self, uniforms: &[u8]) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let group = self.bind_uniforms(uniforms);
        for (i, map) in (0..).zip(&self.shadows) {
            let mut pass = begin(&mut encoder, None, Some(map));
            pass.set_pipeline(&self.shadow);
            pass.set_bind_group(0, &group, &[]);
            self.draw(&mut pass, Paint::throws_shadow, i);
        }
        // The robot's distance replaces the distance of the volume around it, which is nearer.
        let parts: [(LoadOp<wgpu::Color>, &[(Paint, usize)]); 2] = [
            (LoadOp::Clear(NOWHERE), &[(Paint::Volume, 0)]),
            (LoadOp::Load, &[(Paint::Robot, 2), (Paint::Start, 1), (Paint::End, 1)]),
        ];
        for (load, parts) in parts {
            let mut pass = begin(&mut encoder, Some((&self.distances, load)), Some(&self.depth));
            pass.set_bind_group(0, &group, &[]);
            for &(paint, channels) in parts {
                pass.set_pipeline(&self.distance[channels]);
                self.draw(&mut pass, |p| p == paint, 0);
            }
        }
        {
            let load = LoadOp::Clear(self.background);
            let mut pass = begin(&mut encoder, Some((&self.light, load)), Some(&self.depth));
            pass.set_bind_group(0, &group, &[]);
            pass.set_bind_group(1, &self.surroundings, &[]);
            for layer in &self.layers {
                pass.set_pipeline(&layer.pipeline);
                self.draw(&mut pass, |p| p == layer.paint, 0);
            }
            pass.set_pipeline(&self.hidden_mark);
            self.draw(&mut pass, |p| p == Paint::Mark, 0);
        }
        let mut pass = begin(&mut encoder, Some((&self.sum, LoadOp::Load)), None);
        pass.set_pipeline(&self.accumulate);
        pass.set_bind_group(0, &group, &[]);
        pass.set_bind_group(1, &self.light_group, &[]);
        pass.draw(ALL_VERTICES, 0..1);
        drop(pass);
        encoder.finish()
    }

    /// Records the encoding of the sum as pixels, and their copy into a buffer.
    pub fn finish(&self, pixels: &wgpu::Buffer, row_bytes: u32) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let picture = self.picture.create_view(&wgpu::TextureViewDescriptor::default());
            let mut pass = begin(&mut encoder, Some((&picture, LoadOp::Clear(wgpu::Color::BLACK))), None);
            pass.set_pipeline(&self.finish);
            pass.set_bind_group(1, &self.sum_group, &[]);
            pass.draw(ALL_VERTICES, 0..1);
        }
        let to = wgpu::TexelCopyBufferInfo {
            buffer: pixels,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row_bytes), rows_per_image: None },
        };
        encoder.copy_texture_to_buffer(self.picture.as_image_copy(), to, self.size);
        encoder.finish()
    }

    fn draw(&self, pass: &mut wgpu::RenderPass, is_drawn: impl Fn(Paint) -> bool, instance: u32) {
        for batch in self.layers.iter().filter(|l| is_drawn(l.paint)).flat_map(|l| &l.batches) {
            pass.set_vertex_buffer(0, batch.corners.slice(..));
            pass.draw(0..batch.n_corners, instance..instance + 1);
        }
    }

    fn bind_uniforms(&self, uniforms: &[u8]) -> wgpu::BindGroup {
        let buffer = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("exposure"),
            contents: uniforms,
            usage: wgpu::BufferUsages::UNIFORM,
        });
        bind(self.device, &self.uniform_layout, [(0, buffer.as_entire_binding())])
    }
}

/// Begins a pass; depth is cleared, and kept only where it is all that the pass writes.
fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    colour: Option<(&TextureView, LoadOp<wgpu::Color>)>,
    depth: Option<&TextureView>,
) -> wgpu::RenderPass<'e> {
    let store = if colour.is_none() { StoreOp::Store } else { StoreOp::Discard };
    let colour = colour.map(|(view, load)| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: StoreOp::Store },
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("picture"),
        color_attachments: if colour.is_some() { std::slice::from_ref(&colour) } else { &[] },
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load: LoadOp::Clear(1.0), store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

fn texture(device: &wgpu::Device, size: wgpu::Extent3d, format: TextureFormat, usage: TextureUsages) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn upload(device: &wgpu::Device, corners: &[Corner]) -> Batch {
    let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("corners"),
        contents: bytemuck::cast_slice(corners),
        usage: wgpu::BufferUsages::VERTEX,
    });
    Batch { corners: buffer, n_corners: corners.len() as u32 }
}

fn bind<const N: usize>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: [(u32, wgpu::BindingResource); N],
) -> wgpu::BindGroup {
    let entries = resources.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("render"), layout, entries: &entries })
}

/// Layouts of the bind groups.
struct Layouts {
    uniforms: wgpu::BindGroupLayout,
    surroundings: wgpu::BindGroupLayout,
    image: wgpu::BindGroupLayout,
}

impl Layouts {
    fn new(device: &wgpu::Device) -> Self {
        let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let layout = |entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("render"), entries })
        };
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = |sample_type, view_dimension| wgpu::BindingType::Texture {
            sample_type,
            view_dimension,
            multisampled: false,
        };
        let plain = texture(wgpu::TextureSampleType::Float { filterable: false }, wgpu::TextureViewDimension::D2);
        let shadows = texture(wgpu::TextureSampleType::Depth, wgpu::TextureViewDimension::D2Array);
        let comparison = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        Self {
            uniforms: layout(&[entry(0, uniform)]),
            surroundings: layout(&[entry(0, plain), entry(1, shadows), entry(2, comparison)]),
            image: layout(&[entry(3, plain)]),
        }
    }

    fn bind_surroundings(
        &self,
        device: &wgpu::Device,
        distances: &TextureView,
        shadows: &TextureView,
    ) -> wgpu::BindGroup {
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        let [distances, shadows] = [distances, shadows].map(wgpu::BindingResource::TextureView);
        let sampler = wgpu::BindingResource::Sampler(&sampler);
        bind(device, &self.surroundings, [(0, distances), (1, shadows), (2, sampler)])
    }

    fn bind_image(&self, device: &wgpu::Device, image: &TextureView) -> wgpu::BindGroup {
        bind(device, &self.image, [(3, wgpu::BindingResource::TextureView(image))])
    }
}

/// Makes pipelines.
struct Pipelines<'a> {
    device: &'a wgpu::Device,
    module: &'a wgpu::ShaderModule,
    layouts: &'a Layouts,
}

/// How a pipeline differs from others.
struct Wanted<'a> {
    groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    vertex: &'a str,
    has_corners: bool,
    fragment: Option<(&'a str, wgpu::ColorTargetState)>,
    depth: Option<CompareFunction>,
}

impl Pipelines<'_> {
    fn layer(&self, [vertex, fragment]: [&str; 2], compare: CompareFunction) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms), Some(&self.layouts.surroundings)];
        let fragment = Some((fragment, target(LIGHT, ColorWrites::ALL)));
        self.make(&Wanted { groups: &groups, vertex, has_corners: true, fragment, depth: Some(compare) })
    }

    fn distance(&self, channels: ColorWrites) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms)];
        let fragment = Some(("distance_only", target(DISTANCE, channels)));
        let depth = Some(CompareFunction::Less);
        self.make(&Wanted { groups: &groups, vertex: "corner", has_corners: true, fragment, depth })
    }

    fn shadow(&self) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms)];
        let depth = Some(CompareFunction::Less);
        self.make(&Wanted { groups: &groups, vertex: "shadow", has_corners: true, fragment: None, depth })
    }

    /// Of an image that covers the target; it is added where the target keeps light.
    fn image(&self, fragment: &str, format: TextureFormat) -> wgpu::RenderPipeline {
        let groups = [(format == LIGHT).then_some(&self.layouts.uniforms), Some(&self.layouts.image)];
        let add = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::One,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        let mut to = target(format, ColorWrites::ALL);
        to.blend = (format == LIGHT).then_some(wgpu::BlendState { color: add, alpha: add });
        let fragment = Some((fragment, to));
        self.make(&Wanted { groups: &groups, vertex: "everywhere", has_corners: false, fragment, depth: None })
    }

    fn make(&self, wanted: &Wanted) -> wgpu::RenderPipeline {
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("render"),
            bind_group_layouts: wanted.groups,
            immediate_size: 0,
        });
        let corners = Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Snorm16x4, 2 => Unorm8x4],
        });
        let targets = wanted.fragment.as_ref().map(|(_, target)| Some(target.clone()));
        let compilation_options = wgpu::PipelineCompilationOptions::default;
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(wanted.fragment.as_ref().map_or(wanted.vertex, |f| f.0)),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(wanted.vertex),
                compilation_options: compilation_options(),
                buffers: if wanted.has_corners { std::slice::from_ref(&corners) } else { &[] },
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: wanted.depth.map(|compare| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(compare == CompareFunction::Less),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: wanted.fragment.as_ref().map(|(entry_point, _)| wgpu::FragmentState {
                module: self.module,
                entry_point: Some(entry_point),
                compilation_options: compilation_options(),
                targets: targets.as_slice(),
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn target(format: TextureFormat, write_mask: ColorWrites) -> wgpu::ColorTargetState {
    wgpu::ColorTargetState { format, blend: None, write_mask }
}
