//! Kernels: one declaration each, from which pipelines, bindings and tests are made.

use super::buffers::{Buffers, Slot};
use super::device::Gpu;
use super::layout::Pass;
use super::raster::Rendering;
use super::shader::Source;
use crate::error::Result;
use wgpu::{BindingType, BufferBindingType, ShaderStages};

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A binding of group 0.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Its number.
    pub number: u32,
    /// Name of the variable in WGSL.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
    /// The buffer that is bound.
    pub slot: Slot,
}

/// Shorthand for [`Binding`].
pub const fn bind(number: u32, name: &'static str, access: Access, slot: Slot) -> Binding {
    Binding { number, name, access, slot }
}

/// A compute kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The stage: `wgsl/<stem>.wgsl` is its source.
    pub stem: &'static str,
    /// Its text.
    pub source: &'static str,
    /// The entry point.
    pub entry: &'static str,
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// Bindings of group 0.
    pub bindings: &'static [Binding],
    /// Whether group 1 holds the uniform `current: Pass`.
    pub has_pass: bool,
}

/// A kernel or drawing, compiled for a device.
#[derive(Debug)]
pub struct Pipeline {
    pub(super) kernel: Kernel,
    pub(super) program: Program,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Unlike that of any other pipeline of the device.
    pub(super) number: u64,
}

/// What runs.
#[derive(Debug)]
pub(super) enum Program {
    /// A compute kernel.
    Compute(wgpu::ComputePipeline),
    /// A drawing.
    Render(Rendering),
}

impl Gpu {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// The source is invalid, or the driver refuses it.
    pub fn compile(&self, kernel: &Kernel) -> Result<Pipeline> {
        self.compile_source(kernel, &Source::expand(kernel.stem, kernel.source)?)
    }

    /// Compiles a kernel from a changed source.
    ///
    /// # Errors
    /// As [`Gpu::compile`].
    pub fn compile_source(&self, kernel: &Kernel, source: &Source) -> Result<Pipeline> {
        // For its messages, which name file and line.
        source.validate()?;
        let number = self.count_one();
        self.guarded(|| {
            let label = Some(kernel.stem);
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(source.text.as_str().into()),
            });
            let entries: Vec<_> = kernel.bindings.iter().map(|b| entry(b, ShaderStages::COMPUTE)).collect();
            let layout =
                self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let groups = [Some(&layout), kernel.has_pass.then_some(&self.pass_layout)];
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &groups[..1 + usize::from(kernel.has_pass)],
                immediate_size: 0,
            });
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(kernel.entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            Pipeline { kernel: *kernel, program: Program::Compute(pipeline), layout, number }
        })
    }

    /// Binds the kernel's buffers.
    pub(super) fn bind_group(&self, pipeline: &Pipeline, buffers: &Buffers) -> wgpu::BindGroup {
        buffers.group(pipeline.number, || self.new_bind_group(pipeline, buffers))
    }

    /// Binds the uniforms of the steps.
    pub(super) fn pass_group(&self, buffers: &Buffers) -> wgpu::BindGroup {
        let make = || {
            self.count_one();
            self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("pass"),
                layout: &self.pass_layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: buffers.buffer(Slot::Pass),
                        offset: 0,
                        size: std::num::NonZeroU64::new(size_of::<Pass>() as u64),
                    }),
                }],
            })
        };
        // No pipeline has this number.
        buffers.group(u64::MAX, make)
    }

    fn new_bind_group(&self, pipeline: &Pipeline, buffers: &Buffers) -> wgpu::BindGroup {
        self.count_one();
        let entries: Vec<_> = pipeline
            .kernel
            .bindings
            .iter()
            .map(|b| wgpu::BindGroupEntry { binding: b.number, resource: buffers.buffer(b.slot).as_entire_binding() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(pipeline.kernel.stem),
            layout: &pipeline.layout,
            entries: &entries,
        })
    }
}

/// The layout of group 1: one [`Pass`] at a dynamic offset.
pub(super) fn pass_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let size = std::num::NonZeroU64::new(size_of::<Pass>() as u64);
    let ty = BindingType::Buffer { ty: BufferBindingType::Uniform, has_dynamic_offset: true, min_binding_size: size };
    let visibility = ShaderStages::COMPUTE;
    let entries = [wgpu::BindGroupLayoutEntry { binding: 0, visibility, ty, count: None }];
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("pass"), entries: &entries })
}

/// A binding for some stages.
pub(super) fn entry(binding: &Binding, visibility: ShaderStages) -> wgpu::BindGroupLayoutEntry {
    let ty = match binding.access {
        Access::Uniform => BufferBindingType::Uniform,
        Access::Read => BufferBindingType::Storage { read_only: true },
        Access::ReadWrite => BufferBindingType::Storage { read_only: false },
    };
    let ty = BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding: binding.number, visibility, ty, count: None }
}
