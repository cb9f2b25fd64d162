//! Submitting the dispatches of a chunk, and reading results back.

use super::buffers::{BufferId, Buffers, ROUTING_STRIDE};
use super::device::{Clock, Gpu, Mapping, TIMES};
use super::program::{CompiledKernel, CompiledRaster, Program};
use super::traffic::{Hazards, Traffic};
use crate::error::Result;
use crate::stage::kernel::{Kernel, kernel};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Writes the arguments of an indirect dispatch or draw from the length of a queue.
pub const INDIRECT_ARGS: Kernel = kernel!("indirect_args", "write_args");

/// Size of a word, bytes.
const WORD: u64 = size_of::<u32>() as u64;
/// Offset of the arguments that are computed with those of the previous dispatch, bytes.
const NEXT_ARGS: u64 = 4 * WORD;
/// Size of the buffer of arguments, bytes.
pub const ARGS_BYTES: u64 = 8 * WORD;
/// Workgroups in a row of a two-dimensional dispatch; `ROW` in `indirect_args.wgsl`.
const ROW: u64 = 32_768;

/// Number of invocations of a dispatch.
#[derive(Clone, Copy, Debug)]
pub enum WorkSize {
    /// A fixed number.
    Invocations(u64),
    /// The length of the input queue times the invocations per entry, computed on the device.
    Indirect,
    /// As `Indirect`, but computed together with the size of the previous dispatch, from the fields `next_*` of its
    /// routing. Both input queues must be complete before the previous dispatch.
    IndirectWithPrevious,
}

/// One dispatch or draw. The size of a draw is always indirect.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'k> {
    /// The kernel.
    pub kernel: &'k CompiledKernel,
    /// Index of its [`Routing`](crate::stage::layout::Routing) among those set.
    pub routing: u32,
    /// Number of invocations.
    pub size: WorkSize,
    /// The stage to which its time is added; dispatches of one stage are consecutive.
    pub stage: usize,
}

/// A part of a buffer that the device sets to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clear {
    /// The buffer.
    pub buffer: BufferId,
    /// The part of it, in words of four bytes.
    pub words: Range<u64>,
}

/// Work that has been submitted.
#[derive(Debug)]
pub struct Submission {
    index: wgpu::SubmissionIndex,
    mappings: Vec<Mapping>,
    spans: Vec<Span>,
    clock: Option<Clock>,
}

/// Results of a submission.
#[derive(Debug)]
pub struct Readback {
    /// The words of each requested buffer.
    pub data: Vec<Vec<u32>>,
    /// The measured spans and their seconds, if the adapter has timestamps.
    pub seconds: Vec<(Span, f64)>,
}

/// Consecutive dispatches whose time is measured together.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Their stage.
    pub stage: usize,
    /// Their kernel, if each dispatch is measured.
    pub kernel: Option<[&'static str; 2]>,
}

impl Gpu {
    /// Clears parts of buffers before all later work.
    ///
    /// # Errors
    /// The device failed.
    pub fn clear(&self, buffers: &Buffers, clears: &[Clear]) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("clear") });
        let mut work = Work::new();
        work.clear(&mut encoder, buffers, clears);
        self.queue.submit([encoder.finish()]);
        work.count(self);
        self.check()
    }

    /// Records clears, dispatches, and copies of the first bytes of some buffers, in this order, and submits them.
    ///
    /// # Errors
    /// The device failed.
    pub fn submit(
        &self,
        buffers: &Buffers,
        indirect_args: &CompiledKernel,
        clears: &[Clear],
        dispatches: &[Dispatch],
        reads: &[(BufferId, u64)],
    ) -> Result<Submission> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("chunk") });
        let mut work = Work::new();
        work.clear(&mut encoder, buffers, clears);
        let routing_group = self.routing_group(buffers);
        let args_group = self.bind_group(indirect_args, buffers);
        let times_kernels = self.times_kernels.load(Ordering::Relaxed) && dispatches.len() <= TIMES as usize / 2;
        let spans: Vec<&[Dispatch]> = dispatches.chunk_by(|a, b| a.stage == b.stage && !times_kernels).collect();
        let clock = self.timestamp_period_ns().map(|_| self.clock()).transpose()?;
        let mut recorder = Recorder { gpu: self, buffers, indirect_args, args_group, routing_group, work };
        for (i, of_span) in spans.iter().enumerate() {
            let passes: Vec<&[Dispatch]> =
                of_span.chunk_by(|a, b| !a.kernel.is_raster() && !b.kernel.is_raster()).collect();
            for (j, of_pass) in passes.iter().enumerate() {
                let stamps = clock.as_ref().map(|clock| Stamps {
                    query_set: &clock.times,
                    begin: (j == 0).then_some(2 * i as u32),
                    end: (j + 1 == passes.len()).then_some(2 * i as u32 + 1),
                });
                match &of_pass[0].kernel.program {
                    Program::Compute(_) => recorder.compute(&mut encoder, of_pass, stamps),
                    Program::Raster(raster) => recorder.draw(&mut encoder, &of_pass[0], raster, stamps),
                }
            }
        }
        let (mut staging, mut work) = (Vec::new(), recorder.work);
        for &(id, bytes) in reads {
            let bytes = bytes.next_multiple_of(8).min(buffers.buffer(id).size());
            let to = self.staging(bytes)?;
            encoder.copy_buffer_to_buffer(buffers.buffer(id), 0, &to, 0, Some(bytes));
            work.read(id, bytes);
            staging.push((to, bytes));
        }
        if let Some(clock) = &clock {
            let bytes = 16 * spans.len().max(1) as u64;
            encoder.resolve_query_set(&clock.times, 0..2 * spans.len() as u32, &clock.resolved, 0);
            let to = self.staging(bytes)?;
            encoder.copy_buffer_to_buffer(&clock.resolved, 0, &to, 0, Some(bytes));
            work.traffic.read_bytes += bytes;
            staging.push((to, bytes));
        }
        if self.faults.should_lose_device() {
            self.device.destroy();
        }
        let index = self.queue.submit([encoder.finish()]);
        work.count(self);
        self.check()?;
        let mappings = staging.into_iter().map(|(buffer, bytes)| self.map(buffer, bytes)).collect();
        let span = |of: &&[Dispatch]| Span { stage: of[0].stage, kernel: times_kernels.then(|| of[0].kernel.name()) };
        let spans = clock.as_ref().map_or(Vec::new(), |_| spans.iter().map(span).collect());
        Ok(Submission { index, mappings, spans, clock })
    }
}

/// Timestamps of a pass: at its start and end, if these are the start and end of a stage.
#[derive(Clone, Copy)]
struct Stamps<'q> {
    query_set: &'q wgpu::QuerySet,
    begin: Option<u32>,
    end: Option<u32>,
}

/// The counts of one submission.
struct Work {
    traffic: Traffic,
    hazards: Hazards,
}

impl Work {
    fn new() -> Self {
        Self { traffic: Traffic { submissions: 1, ..Traffic::default() }, hazards: Hazards::new() }
    }

    /// Records clears.
    fn clear(&mut self, encoder: &mut wgpu::CommandEncoder, buffers: &Buffers, clears: &[Clear]) {
        for Clear { buffer, words } in clears {
            let bytes = (words.end - words.start) * WORD;
            encoder.clear_buffer(buffers.buffer(*buffer), words.start * WORD, Some(bytes));
            self.traffic.cleared_bytes += bytes;
            self.traffic.barriers += u64::from(self.hazards.add([(*buffer, true)]));
        }
    }

    fn dispatch(&mut self, kernel: &CompiledKernel, is_indirect: bool) {
        self.traffic.dispatches += 1;
        self.traffic.barriers += u64::from(self.hazards.add_kernel(kernel, is_indirect));
    }

    fn draw(&mut self, kernel: &CompiledKernel) {
        self.traffic.draws += 1;
        self.traffic.barriers += u64::from(self.hazards.add_kernel(kernel, true));
    }

    fn read(&mut self, buffer: BufferId, bytes: u64) {
        self.traffic.read_bytes += bytes;
        self.traffic.barriers += u64::from(self.hazards.add([(buffer, false)]));
    }

    /// Adds the counts to those of the device.
    fn count(&self, gpu: &Gpu) {
        let Traffic { submissions, dispatches, draws, barriers, uploaded_bytes, cleared_bytes, read_bytes } =
            self.traffic;
        gpu.count(|sum| {
            sum.submissions += submissions;
            sum.dispatches += dispatches;
            sum.draws += draws;
            sum.barriers += barriers;
            sum.uploaded_bytes += uploaded_bytes;
            sum.cleared_bytes += cleared_bytes;
            sum.read_bytes += read_bytes;
        });
    }
}

/// Records passes.
struct Recorder<'g> {
    gpu: &'g Gpu,
    buffers: &'g Buffers,
    indirect_args: &'g CompiledKernel,
    args_group: wgpu::BindGroup,
    routing_group: wgpu::BindGroup,
    work: Work,
}

impl Recorder<'_> {
    /// Records dispatches of compute kernels, one after the other.
    fn compute(&mut self, encoder: &mut wgpu::CommandEncoder, dispatches: &[Dispatch], stamps: Option<Stamps>) {
        let timestamp_writes =
            stamps.filter(|s| s.begin.or(s.end).is_some()).map(|s| wgpu::ComputePassTimestampWrites {
                query_set: s.query_set,
                beginning_of_pass_write_index: s.begin,
                end_of_pass_write_index: s.end,
            });
        let label = dispatches.first().map(|d| d.kernel.stem);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
        for dispatch in dispatches {
            let Program::Compute(program) = &dispatch.kernel.program else { continue };
            let interface = &dispatch.kernel.interface;
            let (groups, args_at) = match dispatch.size {
                WorkSize::Invocations(0) => continue,
                WorkSize::Invocations(n) => (Some(n.div_ceil(u64::from(interface.workgroup_size))), 0),
                WorkSize::Indirect => {
                    self.write_args(&mut pass, dispatch);
                    (None, 0)
                }
                WorkSize::IndirectWithPrevious => (None, NEXT_ARGS),
            };
            pass.set_pipeline(program);
            pass.set_bind_group(0, &self.gpu.bind_group(dispatch.kernel, self.buffers), &[]);
            if interface.uses_routing {
                pass.set_bind_group(1, &self.routing_group, &[dispatch.routing * ROUTING_STRIDE]);
            }
            self.work.dispatch(dispatch.kernel, groups.is_none());
            match groups {
                Some(groups) => pass.dispatch_workgroups(groups.min(ROW) as u32, groups.div_ceil(ROW) as u32, 1),
                None => pass.dispatch_workgroups_indirect(self.buffers.buffer(BufferId::IndirectArgs), args_at),
            }
        }
    }

    /// Records a draw, after a pass that computes its number of instances from its queue.
    fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        dispatch: &Dispatch,
        raster: &CompiledRaster,
        stamps: Option<Stamps>,
    ) {
        let (begin, end) = stamps.map_or((None, None), |s| (s.begin, s.end));
        let args_pass = wgpu::ComputePassDescriptor {
            label: Some(self.indirect_args.stem),
            timestamp_writes: stamps.filter(|s| s.begin.is_some()).map(|s| wgpu::ComputePassTimestampWrites {
                query_set: s.query_set,
                beginning_of_pass_write_index: begin,
                end_of_pass_write_index: None,
            }),
        };
        self.write_args(&mut encoder.begin_compute_pass(&args_pass), dispatch);
        let writes = stamps.filter(|s| s.end.is_some()).map(|s| wgpu::RenderPassTimestampWrites {
            query_set: s.query_set,
            beginning_of_pass_write_index: None,
            end_of_pass_write_index: end,
        });
        let mut pass = raster.begin(encoder, dispatch.kernel.stem, writes);
        pass.set_bind_group(0, &self.gpu.bind_group(dispatch.kernel, self.buffers), &[]);
        self.work.draw(dispatch.kernel);
        pass.draw_indirect(self.buffers.buffer(BufferId::IndirectArgs), 0);
    }

    /// Records the kernel that computes the arguments of an indirect dispatch or draw.
    fn write_args(&mut self, pass: &mut wgpu::ComputePass, dispatch: &Dispatch) {
        if let Program::Compute(program) = &self.indirect_args.program {
            pass.set_pipeline(program);
            pass.set_bind_group(0, &self.args_group, &[]);
            pass.set_bind_group(1, &self.routing_group, &[dispatch.routing * ROUTING_STRIDE]);
            self.work.dispatch(self.indirect_args, false);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }
}

impl Submission {
    /// Waits for the work and returns the results.
    ///
    /// # Errors
    /// The device failed.
    pub fn wait(self, gpu: &Gpu) -> Result<Readback> {
        gpu.wait_for(Some(self.index))?;
        let mut data = self.mappings.into_iter().map(|m| m.items(gpu)).collect::<Result<Vec<_>>>()?;
        let mut seconds = Vec::new();
        if let (false, Some(period)) = (self.spans.is_empty(), gpu.timestamp_period_ns()) {
            let times: Vec<u64> = bytemuck::pod_collect_to_vec(&data.pop().unwrap_or_default());
            for (span, t) in self.spans.iter().zip(times.chunks_exact(2)) {
                seconds.push((*span, t[1].saturating_sub(t[0]) as f64 * f64::from(period) * 1e-9));
            }
        }
        if let (Some(clock), Ok(mut free)) = (self.clock, gpu.free_clocks.lock()) {
            free.push(clock);
        }
        Ok(Readback { data, seconds })
    }
}
