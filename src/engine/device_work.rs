//! Counts of the work of an adapter.

use bytemuck::{Pod, Zeroable};
use serde::Serialize;
use std::ops::{AddAssign, Sub};

/// The work of an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, Serialize)]
#[repr(C)]
pub struct DeviceWork {
    /// Chunks of pieces, including those that served to choose the form of swept-volume culling, and those repeated
    /// because a queue was too small.
    pub chunks: u64,
    /// Pages of the scene, summed over chunks, that were searched.
    pub pages_searched: u64,
    /// Pages of the scene, summed over chunks, that no motion of the chunk reaches.
    pub pages_skipped: u64,
    /// Command buffers.
    pub submissions: u64,
    /// Compute dispatches, including those of one invocation that compute the arguments of others.
    pub dispatches: u64,
    /// Draws.
    pub draws: u64,
    /// Commands that must wait until earlier ones of their submission have written or read the same buffers.
    pub barriers: u64,
    /// Entries that were appended to queues, including those that did not fit.
    pub queue_entries: u64,
    /// Bytes written to buffers by the CPU.
    pub uploaded_bytes: u64,
    /// Bytes cleared by the device.
    pub cleared_bytes: u64,
    /// Bytes copied back for the CPU.
    pub read_bytes: u64,
}

/// The work of one kernel of an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KernelWork {
    /// Dispatches or draws.
    pub dispatches: u64,
    /// Invocations that have work; of a draw, those of the vertex stage.
    pub invocations: u64,
    /// Entries that were appended to queues, including those that did not fit.
    pub queue_entries: u64,
    /// Time of its dispatches and of the computation of their sizes, seconds, if
    /// [`Options::time_kernels`](super::Options::time_kernels) is set.
    #[serde(skip_serializing_if = "is_zero")]
    pub seconds: f64,
    /// The executed work, if [`Options::count_executed`](super::Options::count_executed) is set.
    #[serde(skip_serializing_if = "Executed::is_zero")]
    pub executed: Executed,
}

/// The work that the invocations of a kernel executed, without address arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Executed {
    /// Scalar operations, as counted by `KernelCost`.
    pub operations: u64,
    /// Lower bound on the operations of all lanes of the waves of 32 invocations that executed them, idle lanes
    /// included.
    pub issued_operations: u64,
    /// Bytes read from storage buffers.
    pub loaded_bytes: u64,
    /// Bytes written to storage buffers.
    pub stored_bytes: u64,
    /// Atomic operations on storage buffers.
    pub atomics: u64,
}

impl Executed {
    /// Returns whether nothing was counted.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Upper bound on the share of lanes that are active in an average operation; `None` if nothing was counted.
    pub fn active_lanes(&self) -> Option<f64> {
        (self.issued_operations > 0).then(|| self.operations as f64 / self.issued_operations as f64)
    }
}

impl AddAssign for Executed {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.issued_operations += other.issued_operations;
        self.loaded_bytes += other.loaded_bytes;
        self.stored_bytes += other.stored_bytes;
        self.atomics += other.atomics;
    }
}

impl AddAssign for KernelWork {
    fn add_assign(&mut self, other: Self) {
        self.dispatches += other.dispatches;
        self.invocations += other.invocations;
        self.queue_entries += other.queue_entries;
        self.seconds += other.seconds;
        self.executed += other.executed;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Number of counts.
const COUNTS: usize = size_of::<DeviceWork>() / size_of::<u64>();

impl DeviceWork {
    fn map2(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let (a, b): ([u64; COUNTS], [u64; COUNTS]) = (bytemuck::cast(self), bytemuck::cast(other));
        bytemuck::cast::<[u64; COUNTS], Self>(std::array::from_fn(|i| of(a[i], b[i])))
    }
}

impl AddAssign for DeviceWork {
    fn add_assign(&mut self, other: Self) {
        *self = self.map2(other, |a, b| a + b);
    }
}

impl Sub for DeviceWork {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.map2(other, u64::saturating_sub)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_and_subtracted_one_by_one() {
        let before = DeviceWork { chunks: 1, read_bytes: 5, ..DeviceWork::default() };
        let mut sum = before;
        sum += DeviceWork { chunks: 2, barriers: 7, ..DeviceWork::default() };
        assert_eq!((sum.chunks, sum.barriers, sum.read_bytes), (3, 7, 5));
        assert_eq!(sum - before, DeviceWork { chunks: 2, barriers: 7, ..DeviceWork::default() });
    }
}
