//! Compiling raster kernels: polygons whose fragments write storage buffers. Pixels of the target are never written;
//! the target only provides the grid of pixels from which fragments are generated.

use super::device::Gpu;
use super::program::{CompiledKernel, CompiledRaster, Program};
use super::reflection::Interface;
use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use crate::stage::kernel::RasterKernel;

/// Pixels along a side of the target.
pub const TARGET_PIXELS: u32 = 1024;
const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

impl Gpu {
    /// Compiles a raster kernel from a source.
    ///
    /// # Errors
    /// The source is invalid, the driver rejects it, or fragments cannot write buffers on this adapter.
    pub fn compile_raster(&self, kernel: &RasterKernel, source: &Source) -> Result<CompiledKernel> {
        if !self.supports_fragment_storage() {
            let message = format!("adapter '{}' cannot write buffers from fragments", self.summary().name);
            return Err(Error::new(ErrorKind::Gpu, message).remedy("use --sweep compute"));
        }
        let interface = Interface::of(source, &[kernel.vertex, kernel.fragment])?;
        let id = self.next_object_id();
        self.guarded(|| {
            let label = Some(kernel.stem);
            let module = self.shader_module(kernel.stem, source);
            let layout = self.bind_group_layout(kernel.stem, &interface);
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
                    entry_point: Some(kernel.vertex),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                // Polygons may have either orientation.
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::TriangleStrip,
                    cull_mode: None,
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some(kernel.fragment),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &blank,
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
                format: COLOUR,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            let target = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let program = Program::Raster(CompiledRaster { pipeline, target });
            CompiledKernel { stem: kernel.stem, entry: kernel.vertex, program, interface, layout, id }
        })
    }
}

impl CompiledRaster {
    /// Starts a render pass with this pipeline.
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
