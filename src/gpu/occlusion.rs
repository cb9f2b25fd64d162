//! Occlusion queries: whether anything is left of a drawing behind another one.

use super::buffers::Buffers;
use super::device::Gpu;
use super::kernel::{Pipeline, Program};
use super::raster::{Depth, Rendering};
use crate::error::{Error, ErrorKind, Result};

/// Queries that one call may ask.
pub const MAX_QUERIES: usize = wgpu::QUERY_SET_MAX_QUERIES as usize;

impl Gpu {
    /// Draws `instances` of what keeps depths, then asks for single instances of what is compared with these: gives for each
    /// how many of its pixels pass, or only that some do.
    ///
    /// # Errors
    /// The device failed; a pipeline has no depth; more than [`MAX_QUERIES`] are asked.
    pub fn pass_depth(
        &self,
        buffers: &Buffers,
        vertices: u32,
        kept: (&Pipeline, u32),
        asked: &[(&Pipeline, u32)],
    ) -> Result<Vec<u64>> {
        let wrong = || Error::new(ErrorKind::Gpu, "not what occlusion queries take");
        let Program::Render(Rendering { pipeline, target, depth: Some(keep) }) = &kept.0.program else {
            return Err(wrong());
        };
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        if asked.len() > MAX_QUERIES {
            return Err(wrong());
        }
        let set = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("occlusion"),
            ty: wgpu::QueryType::Occlusion,
            count: asked.len() as u32,
        });
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("occlusion") });
        let start = if *keep == Depth::KeepLowest { 1.0 } else { 0.0 };
        let depth_ops = wgpu::Operations { load: wgpu::LoadOp::Clear(start), store: wgpu::StoreOp::Discard };
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("occlusion"),
                color_attachments: &[],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: target,
                    depth_ops: Some(depth_ops),
                    stencil_ops: None,
                }),
                timestamp_writes: None,
                occlusion_query_set: Some(&set),
                multiview_mask: None,
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.bind_group(kept.0, buffers), &[]);
            pass.draw(0..vertices, 0..kept.1);
            for (i, (asked, instance)) in asked.iter().enumerate() {
                let Program::Render(Rendering { pipeline, depth: Some(_), .. }) = &asked.program else {
                    return Err(wrong());
                };
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &self.bind_group(asked, buffers), &[]);
                pass.begin_occlusion_query(i as u32);
                pass.draw(0..vertices, *instance..*instance + 1);
                pass.end_occlusion_query();
            }
        }
        let bytes = 8 * asked.len() as u64;
        let resolved = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("occlusion"),
            size: bytes,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        encoder.resolve_query_set(&set, 0..asked.len() as u32, &resolved, 0);
        let staging = self.staging(bytes)?;
        encoder.copy_buffer_to_buffer(&resolved, 0, &staging, 0, Some(bytes));
        let submission = self.queue.submit([encoder.finish()]);
        let mapping = self.map(staging, bytes);
        self.wait_for(Some(submission))?;
        Ok(bytemuck::pod_collect_to_vec(&mapping.bytes(self)?))
    }
}
