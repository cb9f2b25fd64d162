//! Batches of elementary tests on a graphics adapter. A search may omit the pairs that the adapter clears; everything
//! that a certificate relies on is tested again in double precision.

use super::enclosure::root_above;
use super::face::{FatFace, Fixed};
use crate::arith::linear::V3;
use crate::error::Result;
use crate::gpu::shader::Source;
use crate::gpu::{AdapterChoice, BufferId, Buffers, CompiledKernel, Dispatch, Gpu, INDIRECT_ARGS, WorkSize};
use crate::stage::kernel::Kernel;
use crate::stage::layout::{Routing, TolerancedPair};
use crate::stage::toleranced::{Fat, KERNEL};

/// An adapter with the compiled kernel.
#[derive(Debug)]
pub struct Batch {
    gpu: Gpu,
    kernel: CompiledKernel,
    indirect_args: CompiledKernel,
    buffers: Buffers,
}

/// Combines a triangle under a ball of displacements with a fixed one, for [`Fat::standing`]; `None` if either does not
/// have three corners.
pub fn fat(moving: &FatFace, fixed: &Fixed) -> Option<Fat<f64>> {
    let [c0, c1, c2] = moving.about[..] else { return None };
    let [q0, q1, q2] = fixed.about[..] else { return None };
    // The true images deviate from their midpoints by less than this.
    let width = moving.corners.iter().flat_map(|c| c.0).map(|x| x.hi - x.lo).fold(0.0, f64::max);
    let radius = |i: usize| root_above(moving.ball(i).1) + 2.0 * width;
    Some(Fat { c: [c0, c1, c2].map(V3), radius: [radius(0), radius(1), radius(2)], q: [q0, q1, q2].map(V3) })
}

impl Batch {
    /// Opens an adapter.
    ///
    /// # Errors
    /// There is no adapter.
    pub fn new(choice: &AdapterChoice) -> Result<Self> {
        Self::with_sources(choice, &|kernel| Source::expand(kernel.stem, kernel.source))
    }

    /// Like [`Batch::new`], with the kernel's source from `source`; tests use it to remove safety terms.
    ///
    /// # Errors
    /// There is no adapter, or the source is invalid.
    pub fn with_sources(choice: &AdapterChoice, source: &dyn Fn(&Kernel) -> Result<Source>) -> Result<Self> {
        let gpu = Gpu::open(choice)?;
        let kernel = gpu.compile_source(&KERNEL, &source(&KERNEL)?)?;
        let indirect_args = gpu.compile(&INDIRECT_ARGS)?;
        let mut buffers = Buffers::new(&gpu)?;
        buffers.set_routings(&gpu, &[Routing::default()])?;
        Ok(Self { gpu, kernel, indirect_args, buffers })
    }

    /// Returns the adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns, for each pair, the bits that the kernel does not clear.
    ///
    /// # Errors
    /// The device failed, or does not have enough memory.
    pub fn standing(&mut self, pairs: &[TolerancedPair]) -> Result<Vec<u32>> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = size_of::<u32>() as u64 * pairs.len() as u64;
        self.buffers.fill(&self.gpu, BufferId::TolerancedPairs, pairs)?;
        // Bits that the kernel does not reach remain set.
        self.buffers.fill(&self.gpu, BufferId::TolerancedMasks, &vec![crate::stage::toleranced::ALL; pairs.len()])?;
        let size = WorkSize::Invocations(pairs.len() as u64);
        let dispatch = Dispatch { kernel: &self.kernel, routing: 0, size, stage: 0 };
        let reads = [(BufferId::TolerancedMasks, bytes)];
        let read = self.gpu.submit(&self.buffers, &self.indirect_args, &[], &[dispatch], &reads)?.wait(&self.gpu)?;
        let mut masks: Vec<u32> = read.data.into_iter().next().unwrap_or_default();
        masks.resize(pairs.len(), crate::stage::toleranced::ALL);
        Ok(masks)
    }
}
