//! Memory that the CPU stages keep from one motion to the next.

use crate::enclosure::pose_bound::TaylorModel;
use crate::engine::link_search::LinkSearch;
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::s1_concat::Poses;
use crate::stage::s2_bound::Boxes;
use crate::stage::s5_pairs::Limits;
use crate::stage::{s3_cull, s5_pairs, s6_solve, solids};
use std::sync::Mutex;

/// Memory of all stages.
#[derive(Debug, Default)]
pub(in crate::engine) struct Scratch {
    /// The motion that is checked next.
    pub motion: RobotMotion,
    pub(super) poses: Poses,
    pub(super) boxes: Boxes,
    pub(super) cull: s3_cull::Workspace,
    pub(super) pairs: s5_pairs::Workspace,
    pub(super) limits: Limits,
    pub(super) links: LinkSearch,
    pub(super) solver: s6_solve::Memory,
    pub(super) solids: solids::Workspace,
    /// Poses of the bodies at a single time.
    pub(super) models: Vec<TaylorModel<f64>>,
}

/// Number of candidates or pairs above which scratch memory is freed, because few motions need it.
const MAX_POOLED_ITEMS: usize = 1 << 14;
/// Maximum number of scratch memories in a pool.
const MAX_POOLED: usize = 256;

impl Scratch {
    /// Starts a new motion.
    pub(super) fn begin(&mut self, world: &CollisionWorld) {
        self.limits.clear();
        self.limits.push(u32::MAX);
        self.links.begin(world);
    }

    /// See [`s5_pairs::Workspace::first_only`].
    pub(super) fn set_first_only(&mut self, first_only: bool) {
        self.pairs.first_only = first_only;
        self.links.set_first_only(first_only);
    }

    fn is_worth_pooling(&self) -> bool {
        let items =
            [self.cull.candidates.capacity(), self.pairs.pairs.capacity(), self.links.capacity(), self.solver.pairs()];
        items.into_iter().all(|n| n <= MAX_POOLED_ITEMS)
    }
}

/// Free scratch memories, shared by all threads.
#[derive(Debug, Default)]
pub(in crate::engine) struct ScratchPool(Mutex<Vec<Box<Scratch>>>);

impl ScratchPool {
    /// A free scratch memory, or a new one.
    pub fn acquire(&self) -> ScratchGuard<'_> {
        ScratchGuard { scratch: self.0.lock().ok().and_then(|mut free| free.pop()), pool: self }
    }
}

/// A scratch memory that returns to its pool when it is dropped.
#[derive(Debug)]
pub(in crate::engine) struct ScratchGuard<'p> {
    scratch: Option<Box<Scratch>>,
    pool: &'p ScratchPool,
}

impl ScratchGuard<'_> {
    pub fn get(&mut self) -> &mut Scratch {
        self.scratch.get_or_insert_default()
    }
}

impl Drop for ScratchGuard<'_> {
    fn drop(&mut self) {
        let scratch = self.scratch.take_if(|scratch| scratch.is_worth_pooling());
        if let (Some(scratch), Ok(mut free)) = (scratch, self.pool.0.lock())
            && free.len() < MAX_POOLED
        {
            free.push(scratch);
        }
    }
}
