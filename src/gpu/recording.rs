//! Submitting the steps of a chunk, and reading back what they left.

use super::buffers::{Buffers, PASS_STRIDE, Slot};
use super::device::{Gpu, Mapping};
use super::kernel::{Access, Kernel, Pipeline, bind};
use crate::error::Result;

/// Sizes an indirect dispatch from the length of a queue.
pub const DISPATCH: Kernel = Kernel {
    stem: "dispatch",
    source: include_str!("../../wgsl/dispatch.wgsl"),
    entry: "size",
    workgroup: 1,
    bindings: &[
        bind(1, "control", Access::ReadWrite, Slot::Control),
        bind(2, "arguments", Access::ReadWrite, Slot::Arguments),
    ],
    has_pass: true,
};

/// Workgroups in a row of a two-dimensional dispatch; the kernel `dispatch` has the same number.
const ROW: u64 = 32_768;

/// How many invocations a step has.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// This many.
    Invocations(u64),
    /// As many as the step's input queue asks for.
    Queue,
}

/// One dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Step<'p> {
    /// The kernel.
    pub pipeline: &'p Pipeline,
    /// The number of its [`Pass`](super::layout::Pass) among those set.
    pub pass: u32,
    /// How many invocations.
    pub size: Size,
    /// Which stage its time counts for; the steps of a stage follow one another.
    pub stage: usize,
}

/// Work on its way.
#[derive(Debug)]
pub struct Submission {
    index: wgpu::SubmissionIndex,
    mappings: Vec<Mapping>,
    stages: Vec<usize>,
}

/// What came back.
#[derive(Debug)]
pub struct Readback {
    /// The bytes of each buffer asked for.
    pub data: Vec<Vec<u8>>,
    /// Seconds of each stage that had steps, if the adapter measures time.
    pub stage_seconds: Vec<(usize, f64)>,
}

impl Gpu {
    /// Records the steps, copies of the first bytes of some buffers, and submits both.
    ///
    /// # Errors
    /// The device failed.
    pub fn submit(
        &self,
        buffers: &Buffers,
        sizer: &Pipeline,
        steps: &[Step],
        reads: &[(Slot, u64)],
    ) -> Result<Submission> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("chunk") });
        let pass_group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("pass"),
            layout: &self.pass_layout(),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: buffers.buffer(Slot::Pass),
                    offset: 0,
                    size: std::num::NonZeroU64::new(size_of::<super::layout::Pass>() as u64),
                }),
            }],
        });
        let size_group = self.bind_group(sizer, buffers);
        let by_stage: Vec<&[Step]> = steps.chunk_by(|a, b| a.stage == b.stage).collect();
        let clock = self.timestamp_period_ns().map(|_| {
            let descriptor = wgpu::QuerySetDescriptor {
                label: Some("stages"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * by_stage.len().max(1) as u32,
            };
            self.device.create_query_set(&descriptor)
        });
        for (i, steps) in by_stage.iter().enumerate() {
            let timestamp_writes = clock.as_ref().map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(2 * i as u32),
                end_of_pass_write_index: Some(2 * i as u32 + 1),
            });
            let descriptor =
                wgpu::ComputePassDescriptor { label: Some(steps[0].pipeline.kernel.stem), timestamp_writes };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            for step in *steps {
                let offset = [step.pass * PASS_STRIDE];
                let dispatch = match step.size {
                    Size::Invocations(0) => continue,
                    Size::Invocations(n) => Some(n.div_ceil(u64::from(step.pipeline.kernel.workgroup))),
                    Size::Queue => {
                        pass.set_pipeline(&sizer.pipeline);
                        pass.set_bind_group(0, &size_group, &[]);
                        pass.set_bind_group(1, &pass_group, &offset);
                        pass.dispatch_workgroups(1, 1, 1);
                        None
                    }
                };
                pass.set_pipeline(&step.pipeline.pipeline);
                pass.set_bind_group(0, &self.bind_group(step.pipeline, buffers), &[]);
                if step.pipeline.kernel.has_pass {
                    pass.set_bind_group(1, &pass_group, &offset);
                }
                match dispatch {
                    Some(groups) => pass.dispatch_workgroups(groups.min(ROW) as u32, groups.div_ceil(ROW) as u32, 1),
                    None => pass.dispatch_workgroups_indirect(buffers.buffer(Slot::Arguments), 0),
                }
            }
        }
        let mut staging = Vec::new();
        for &(slot, bytes) in reads {
            let bytes = bytes.next_multiple_of(8).min(buffers.buffer(slot).size());
            let to = self.staging(bytes)?;
            encoder.copy_buffer_to_buffer(buffers.buffer(slot), 0, &to, 0, Some(bytes));
            staging.push((to, bytes));
        }
        if let Some(clock) = &clock {
            let bytes = 16 * by_stage.len().max(1) as u64;
            let resolved = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("times"),
                size: bytes,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            encoder.resolve_query_set(clock, 0..2 * by_stage.len() as u32, &resolved, 0);
            let to = self.staging(bytes)?;
            encoder.copy_buffer_to_buffer(&resolved, 0, &to, 0, Some(bytes));
            staging.push((to, bytes));
        }
        let index = self.queue.submit([encoder.finish()]);
        self.check()?;
        let mappings = staging.into_iter().map(|(buffer, bytes)| self.map(buffer, bytes)).collect();
        let stages = clock.map_or(Vec::new(), |_| by_stage.iter().map(|s| s[0].stage).collect());
        Ok(Submission { index, mappings, stages })
    }
}

impl Submission {
    /// Waits for the work and hands over what was read.
    ///
    /// # Errors
    /// The device failed.
    pub fn wait(self, gpu: &Gpu) -> Result<Readback> {
        gpu.wait_for(Some(self.index))?;
        let mut data = self.mappings.into_iter().map(|m| m.bytes(gpu)).collect::<Result<Vec<_>>>()?;
        let mut stage_seconds = Vec::new();
        if let (false, Some(period)) = (self.stages.is_empty(), gpu.timestamp_period_ns()) {
            let times: Vec<u64> = bytemuck::pod_collect_to_vec(&data.pop().unwrap_or_default());
            for (stage, t) in self.stages.iter().zip(times.chunks_exact(2)) {
                stage_seconds.push((*stage, t[1].saturating_sub(t[0]) as f64 * f64::from(period) * 1e-9));
            }
        }
        Ok(Readback { data, stage_seconds })
    }
}
