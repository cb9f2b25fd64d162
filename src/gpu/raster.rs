//! Drawings: polygons whose fragments write storage buffers. The target's own pixels are never written; it is there because
//! fragments come from the pixels of some target.

use super::device::Gpu;
use super::kernel::{Access, Kernel, Pipeline, Program, entry};
use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use wgpu::ShaderStages;

/// A drawing: instances of a strip of triangles.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// The entry point for the vertices and the bindings of both entry points. What is written, fragments write.
    pub vertices: Kernel,
    /// The entry point for the fragments.
    pub fragments: &'static str,
    /// What becomes of depths that the fragments give, if they do.
    pub depth: Option<Depth>,
}

/// What becomes of a fragment's depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The lowest in each pixel is kept, starting from 1.
    KeepLowest,
    /// The highest in each pixel is kept, starting from 0.
    KeepHighest,
    /// The fragment counts where its depth is above the one that was kept.
    Above,
    /// The fragment counts where its depth is below the one that was kept.
    Below,
}

/// Pixels along a side of the target.
pub const TARGET_PIXELS: u32 = 1024;
const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A drawing, compiled, with a target.
#[derive(Debug)]
pub(super) struct Rendering {
    pub(super) pipeline: wgpu::RenderPipeline,
    pub(super) target: wgpu::TextureView,
    pub(super) depth: Option<Depth>,
}

impl Gpu {
    /// Compiles a drawing from a source.
    ///
    /// # Errors
    /// The source is invalid, the driver refuses it, or the adapter's fragments cannot write buffers.
    pub fn compile_drawing(&self, drawing: &Drawing, source: &Source) -> Result<Pipeline> {
        if !self.draws() {
            let message = format!("adapter '{}' cannot write buffers while it draws", self.summary().name);
            return Err(Error::new(ErrorKind::Gpu, message).remedy("use --sweep compute"));
        }
        // For its messages, which name file and line.
        source.validate()?;
        let (kernel, number) = (drawing.vertices, self.count_one());
        self.guarded(|| {
            let label = Some(kernel.stem);
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(source.text.as_str().into()),
            });
            let stages = |access| match access {
                Access::ReadWrite => ShaderStages::FRAGMENT,
                _ => ShaderStages::VERTEX_FRAGMENT,
            };
            let entries: Vec<_> = kernel.bindings.iter().map(|b| entry(b, stages(b.access))).collect();
            let layout =
                self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let blank =
                [Some(wgpu::ColorTargetState { format: COLOUR, blend: None, write_mask: wgpu::ColorWrites::empty() })];
            let pipeline = self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some(kernel.entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                // Polygons may be drawn from either side.
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::TriangleStrip,
                    cull_mode: None,
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: drawing.depth.map(Depth::state),
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some(drawing.fragments),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: if drawing.depth.is_some() { &[] } else { &blank },
                }),
                multiview_mask: None,
                cache: None,
            });
            let texture = self.device.create_texture(&wgpu::TextureDescriptor {
                label,
                size: wgpu::Extent3d { width: TARGET_PIXELS, height: TARGET_PIXELS, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: if drawing.depth.is_some() { DEPTH } else { COLOUR },
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            let target = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let program = Program::Render(Rendering { pipeline, target, depth: drawing.depth });
            Pipeline { kernel, program, layout, number }
        })
    }
}

impl Depth {
    fn state(self) -> wgpu::DepthStencilState {
        use wgpu::CompareFunction::{Greater, Less};
        wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(matches!(self, Self::KeepLowest | Self::KeepHighest)),
            depth_compare: Some(if matches!(self, Self::KeepLowest | Self::Below) { Less } else { Greater }),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }
}

impl Rendering {
    /// Starts a pass in which this is drawn.
    pub(super) fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        label: &'static str,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites>,
    ) -> wgpu::RenderPass<'e> {
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(label),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.target,
                depth_slice: None,
                resolve_target: None,
                ops,
            })],
            depth_stencil_attachment: None,
            timestamp_writes,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_pipeline(&self.pipeline);
        pass
    }
}
