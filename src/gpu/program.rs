//! Compiled kernels.

use super::reflection::Interface;

/// A kernel compiled for a device.
#[derive(Debug)]
pub struct CompiledKernel {
    /// File stem of the source, for labels.
    pub(super) stem: &'static str,
    /// Entry point, of the vertex stage for a draw.
    pub(super) entry: &'static str,
    pub(super) program: Program,
    pub(super) interface: Interface,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Identifies the kernel among all objects of the device.
    pub(super) id: u64,
}

/// The pipeline of a kernel.
#[derive(Debug)]
pub(super) enum Program {
    Compute(wgpu::ComputePipeline),
    Raster(CompiledRaster),
}

/// A render pipeline and its target.
#[derive(Debug)]
pub(super) struct CompiledRaster {
    pub pipeline: wgpu::RenderPipeline,
    pub target: wgpu::TextureView,
}

impl CompiledKernel {
    /// File stem of the source, and entry point.
    pub fn name(&self) -> [&'static str; 2] {
        [self.stem, self.entry]
    }

    /// Returns whether dispatches of the kernel are draws.
    pub(super) fn is_raster(&self) -> bool {
        matches!(self.program, Program::Raster(_))
    }
}
