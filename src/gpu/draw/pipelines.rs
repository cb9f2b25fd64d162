//! Pipelines of a picture, and the layouts of their bind groups.

use super::Corner;
use wgpu::{ColorWrites, CompareFunction, TextureFormat, TextureView};

/// Format of light, linear.
pub const LIGHT: TextureFormat = TextureFormat::Rgba16Float;
/// Format of the picture's pixels.
pub const PIXELS: TextureFormat = TextureFormat::Rgba8UnormSrgb;
/// Format of distances along the view.
pub const DISTANCE: TextureFormat = TextureFormat::Rgba32Float;
/// Format of depths of the view and of lights.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;

pub fn bind<const N: usize>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: [(u32, wgpu::BindingResource); N],
) -> wgpu::BindGroup {
    let entries = resources.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("render"), layout, entries: &entries })
}

/// Layouts of the bind groups.
pub struct Layouts {
    /// Layout of the uniforms of an exposure.
    pub uniforms: wgpu::BindGroupLayout,
    /// Layout of the textures that a layer reads: distances and shadows.
    pub surroundings: wgpu::BindGroupLayout,
    /// Layout of an image that a fragment reads.
    pub image: wgpu::BindGroupLayout,
}

impl Layouts {
    pub fn new(device: &wgpu::Device) -> Self {
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

    pub fn bind_surroundings(
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

    pub fn bind_image(&self, device: &wgpu::Device, image: &TextureView) -> wgpu::BindGroup {
        bind(device, &self.image, [(3, wgpu::BindingResource::TextureView(image))])
    }
}

/// Creates pipelines.
pub struct Pipelines<'a> {
    pub device: &'a wgpu::Device,
    pub module: &'a wgpu::ShaderModule,
    pub layouts: &'a Layouts,
}

/// The properties in which pipelines differ.
struct Wanted<'a> {
    groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    vertex: &'a str,
    has_corners: bool,
    fragment: Option<(&'a str, wgpu::ColorTargetState)>,
    depth: Option<CompareFunction>,
}

impl Pipelines<'_> {
    pub fn layer(&self, [vertex, fragment]: [&str; 2], compare: CompareFunction) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms), Some(&self.layouts.surroundings)];
        let fragment = Some((fragment, target(LIGHT, ColorWrites::ALL)));
        self.make(&Wanted { groups: &groups, vertex, has_corners: true, fragment, depth: Some(compare) })
    }

    pub fn distance(&self, channels: ColorWrites) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms)];
        let fragment = Some(("distance_only", target(DISTANCE, channels)));
        let depth = Some(CompareFunction::Less);
        self.make(&Wanted { groups: &groups, vertex: "corner", has_corners: true, fragment, depth })
    }

    pub fn shadow(&self) -> wgpu::RenderPipeline {
        let groups = [Some(&self.layouts.uniforms)];
        let depth = Some(CompareFunction::Less);
        self.make(&Wanted { groups: &groups, vertex: "shadow", has_corners: true, fragment: None, depth })
    }

    /// A pipeline for an image that covers the target; it is added if the target's format is [`LIGHT`].
    pub fn image(&self, fragment: &str, format: TextureFormat) -> wgpu::RenderPipeline {
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
