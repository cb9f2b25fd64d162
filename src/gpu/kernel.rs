//! Compiling compute kernels, and binding the buffers of any kernel.

use super::buffers::{BufferId, Buffers};
use super::device::Gpu;
use super::program::{CompiledKernel, Program};
use super::reflection::Interface;
use super::shader::Source;
use crate::error::Result;
use crate::stage::kernel::Kernel;
use crate::stage::layout::Routing;
use std::num::NonZeroU64;
use wgpu::{BindingType, BufferBindingType, ShaderStages};

/// Size of the uniform of a dispatch, bytes.
const ROUTING_BYTES: Option<NonZeroU64> = NonZeroU64::new(size_of::<Routing>() as u64);
/// Key of the bind group of the routing uniforms; no kernel has this id.
const ROUTING_GROUP: u64 = u64::MAX;

impl Gpu {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// The source is invalid, or the driver rejects it.
    pub fn compile(&self, kernel: &Kernel) -> Result<CompiledKernel> {
        self.compile_source(kernel, &Source::expand(kernel.stem, kernel.source)?)
    }

    /// Compiles a kernel from a modified source.
    ///
    /// # Errors
    /// See [`Gpu::compile`].
    pub fn compile_source(&self, kernel: &Kernel, source: &Source) -> Result<CompiledKernel> {
        self.compile_with(kernel, source, &[])
    }

    /// Compiles a kernel from a modified source with values of its `override` constants.
    ///
    /// # Errors
    /// See [`Gpu::compile`]; the source has no such constant.
    pub fn compile_with(&self, kernel: &Kernel, source: &Source, constants: &[(&str, f64)]) -> Result<CompiledKernel> {
        let interface = Interface::of(source, &[kernel.entry])?;
        let id = self.next_object_id();
        self.guarded(|| {
            let label = Some(kernel.stem);
            let module = self.shader_module(kernel.stem, source);
            let layout = self.bind_group_layout(kernel.stem, &interface);
            let routing = self.routing_layout();
            let groups = [Some(&layout), Some(routing)];
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &groups[..1 + usize::from(interface.uses_routing)],
                immediate_size: 0,
            });
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(kernel.entry),
                compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
                cache: None,
            });
            CompiledKernel {
                stem: kernel.stem,
                entry: kernel.entry,
                program: Program::Compute(pipeline),
                interface,
                layout,
                id,
            }
        })
    }

    pub(super) fn shader_module(&self, stem: &'static str, source: &Source) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(stem),
            source: wgpu::ShaderSource::Wgsl(source.text.as_str().into()),
        })
    }

    pub(super) fn bind_group_layout(&self, stem: &'static str, interface: &Interface) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = interface.bindings.iter().map(|b| b.layout_entry()).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some(stem), entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }

    /// The layout of group 1: one [`Routing`] at a dynamic offset.
    fn routing_layout(&self) -> &wgpu::BindGroupLayout {
        self.routing_layout.get_or_init(|| {
            let ty = BindingType::Buffer {
                ty: BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: ROUTING_BYTES,
            };
            let visibility = ShaderStages::COMPUTE;
            let entries = [wgpu::BindGroupLayoutEntry { binding: 0, visibility, ty, count: None }];
            let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some("routing"), entries: &entries };
            self.device.create_bind_group_layout(&descriptor)
        })
    }

    /// The bind group of a kernel's buffers.
    pub(super) fn bind_group(&self, kernel: &CompiledKernel, buffers: &Buffers) -> wgpu::BindGroup {
        let make = || {
            let resource = |id| buffers.buffer(id).as_entire_binding();
            let bindings = kernel.interface.bindings.iter();
            let entries: Vec<_> =
                bindings.map(|b| wgpu::BindGroupEntry { binding: b.number, resource: resource(b.buffer) }).collect();
            self.new_bind_group(kernel.stem, &kernel.layout, &entries)
        };
        buffers.group(kernel.id, make)
    }

    /// The bind group of the routing uniforms.
    pub(super) fn routing_group(&self, buffers: &Buffers) -> wgpu::BindGroup {
        let make = || {
            let buffer = buffers.buffer(BufferId::Routing);
            let binding = wgpu::BufferBinding { buffer, offset: 0, size: ROUTING_BYTES };
            let entry = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) };
            self.new_bind_group("routing", self.routing_layout(), &[entry])
        };
        buffers.group(ROUTING_GROUP, make)
    }

    fn new_bind_group(
        &self,
        label: &'static str,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry],
    ) -> wgpu::BindGroup {
        self.next_object_id();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
    }
}
