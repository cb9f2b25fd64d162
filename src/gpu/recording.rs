//! Submitting the steps of a chunk, and reading back what they left.

use super::buffers::{Buffers, PASS_STRIDE, Slot};
use super::device::{Gpu, Mapping};
use super::kernel::{Access, Kernel, Pipeline, Program, bind};
use super::raster::Rendering;
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

/// One dispatch or drawing. A drawing always takes its size from its queue.
#[derive(Clone, Copy, Debug)]
pub struct Step<'p> {
    /// The kernel or drawing.
    pub pipeline: &'p Pipeline,
    /// The number of its [`Pass`](super::layout::Pass) among those set.
    pub pass: u32,
    /// How many invocations.
    pub size: Size,
    /// Which stage its time counts for; the steps of a stage follow one another.
    pub stage: usize,
}

impl Step<'_> {
    fn draws(&self) -> bool {
        matches!(self.pipeline.program, Program::Render(_))
    }
}

/// Work on its way.
#[derive(Debug)]
pub struct Submission {
    index: wgpu::SubmissionIndex,
    mappings: Vec<Mapping>,
    stages: Vec<usize>,
    clock: Option<Clock>,
}

/// Where the times at the beginnings and ends of stages are noted.
#[derive(Debug)]
pub(super) struct Clock {
    times: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// Times that a clock has room for: two for each stage that a submission may have, and more.
const TIMES: u32 = 32;

/// What came back.
#[derive(Debug)]
pub struct Readback {
    /// The bytes of each buffer asked for.
    pub data: Vec<Vec<u8>>,
    /// Seconds of each stage that had steps, if the adapter measures time.
    pub stage_seconds: Vec<(usize, f64)>,
}

impl Gpu {
    /// A clock that no submission has.
    fn clock(&self) -> Result<Clock> {
        if let Some(free) = self.free_clocks.lock().ok().and_then(|mut free| free.pop()) {
            return Ok(free);
        }
        self.count_one();
        let descriptor =
            wgpu::QuerySetDescriptor { label: Some("stages"), ty: wgpu::QueryType::Timestamp, count: TIMES };
        let times = self.device.create_query_set(&descriptor);
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let size = u64::from(TIMES) * 8;
        let descriptor = wgpu::BufferDescriptor { label: Some("times"), size, usage, mapped_at_creation: false };
        Ok(Clock { times, resolved: self.buffer(&descriptor)? })
    }

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
        let pass_group = self.pass_group(buffers);
        let size_group = self.bind_group(sizer, buffers);
        let by_stage: Vec<&[Step]> = steps.chunk_by(|a, b| a.stage == b.stage).collect();
        let clock = self.timestamp_period_ns().map(|_| self.clock()).transpose()?;
        let recorder = Recorder { gpu: self, buffers, sizer, size_group, pass_group };
        for (i, steps) in by_stage.iter().enumerate() {
            let passes: Vec<&[Step]> = steps.chunk_by(|a, b| !a.draws() && !b.draws()).collect();
            for (j, steps) in passes.iter().enumerate() {
                let stamps = clock.as_ref().map(|clock| Stamps {
                    query_set: &clock.times,
                    begin: (j == 0).then_some(2 * i as u32),
                    end: (j + 1 == passes.len()).then_some(2 * i as u32 + 1),
                });
                match &steps[0].pipeline.program {
                    Program::Compute(_) => recorder.compute(&mut encoder, steps, stamps),
                    Program::Render(rendering) => recorder.draw(&mut encoder, &steps[0], rendering, stamps),
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
            encoder.resolve_query_set(&clock.times, 0..2 * by_stage.len() as u32, &clock.resolved, 0);
            let to = self.staging(bytes)?;
            encoder.copy_buffer_to_buffer(&clock.resolved, 0, &to, 0, Some(bytes));
            staging.push((to, bytes));
        }
        if self.faults.loses() {
            self.device.destroy();
        }
        let index = self.queue.submit([encoder.finish()]);
        self.check()?;
        let mappings = staging.into_iter().map(|(buffer, bytes)| self.map(buffer, bytes)).collect();
        let stages = clock.as_ref().map_or(Vec::new(), |_| by_stage.iter().map(|s| s[0].stage).collect());
        Ok(Submission { index, mappings, stages, clock })
    }
}

/// Where a pass notes the time: at its begin and end, if these are a stage's.
#[derive(Clone, Copy)]
struct Stamps<'q> {
    query_set: &'q wgpu::QuerySet,
    begin: Option<u32>,
    end: Option<u32>,
}

/// What recording a pass takes.
struct Recorder<'g> {
    gpu: &'g Gpu,
    buffers: &'g Buffers,
    sizer: &'g Pipeline,
    size_group: wgpu::BindGroup,
    pass_group: wgpu::BindGroup,
}

impl Recorder<'_> {
    /// One dispatch after the other.
    fn compute(&self, encoder: &mut wgpu::CommandEncoder, steps: &[Step], stamps: Option<Stamps>) {
        let timestamp_writes =
            stamps.filter(|s| s.begin.or(s.end).is_some()).map(|s| wgpu::ComputePassTimestampWrites {
                query_set: s.query_set,
                beginning_of_pass_write_index: s.begin,
                end_of_pass_write_index: s.end,
            });
        let label = steps.first().map(|s| s.pipeline.kernel.stem);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
        for step in steps {
            let Program::Compute(program) = &step.pipeline.program else { continue };
            let offset = [step.pass * PASS_STRIDE];
            let dispatch = match step.size {
                Size::Invocations(0) => continue,
                Size::Invocations(n) => Some(n.div_ceil(u64::from(step.pipeline.kernel.workgroup))),
                Size::Queue => {
                    self.size(&mut pass, step);
                    None
                }
            };
            pass.set_pipeline(program);
            pass.set_bind_group(0, &self.gpu.bind_group(step.pipeline, self.buffers), &[]);
            if step.pipeline.kernel.has_pass {
                pass.set_bind_group(1, &self.pass_group, &offset);
            }
            match dispatch {
                Some(groups) => pass.dispatch_workgroups(groups.min(ROW) as u32, groups.div_ceil(ROW) as u32, 1),
                None => pass.dispatch_workgroups_indirect(self.buffers.buffer(Slot::Arguments), 0),
            }
        }
    }

    /// A drawing, its number of instances read off its queue in a pass before.
    fn draw(&self, encoder: &mut wgpu::CommandEncoder, step: &Step, rendering: &Rendering, stamps: Option<Stamps>) {
        let (begin, end) = stamps.map_or((None, None), |s| (s.begin, s.end));
        let sizing = wgpu::ComputePassDescriptor {
            label: Some(self.sizer.kernel.stem),
            timestamp_writes: stamps.filter(|s| s.begin.is_some()).map(|s| wgpu::ComputePassTimestampWrites {
                query_set: s.query_set,
                beginning_of_pass_write_index: begin,
                end_of_pass_write_index: None,
            }),
        };
        self.size(&mut encoder.begin_compute_pass(&sizing), step);
        let writes = stamps.filter(|s| s.end.is_some()).map(|s| wgpu::RenderPassTimestampWrites {
            query_set: s.query_set,
            beginning_of_pass_write_index: None,
            end_of_pass_write_index: end,
        });
        let mut pass = rendering.begin(encoder, step.pipeline.kernel.stem, writes);
        pass.set_bind_group(0, &self.gpu.bind_group(step.pipeline, self.buffers), &[]);
        pass.draw_indirect(self.buffers.buffer(Slot::Arguments), 0);
    }

    /// Turns the length of a step's queue into the arguments of its dispatch or drawing.
    fn size(&self, pass: &mut wgpu::ComputePass, step: &Step) {
        if let Program::Compute(program) = &self.sizer.program {
            pass.set_pipeline(program);
            pass.set_bind_group(0, &self.size_group, &[]);
            pass.set_bind_group(1, &self.pass_group, &[step.pass * PASS_STRIDE]);
            pass.dispatch_workgroups(1, 1, 1);
        }
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
        if let (Some(clock), Ok(mut free)) = (self.clock, gpu.free_clocks.lock()) {
            free.push(clock);
        }
        Ok(Readback { data, stage_seconds })
    }
}
