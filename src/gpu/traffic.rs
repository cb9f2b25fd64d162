//! Counts of the work that is submitted to a device, and of the bytes transferred in both directions.

use super::buffers::{BufferId, N_BUFFERS};
use super::program::CompiledKernel;
use super::reflection::Access;

/// Work submitted to a device since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Command buffers.
    pub submissions: u64,
    /// Compute dispatches, including those that compute the arguments of others.
    pub dispatches: u64,
    /// Draws.
    pub draws: u64,
    /// Commands that must wait for earlier ones of their submission.
    pub barriers: u64,
    /// Bytes written to buffers by the CPU.
    pub uploaded_bytes: u64,
    /// Bytes cleared by the device itself.
    pub cleared_bytes: u64,
    /// Bytes copied back for the CPU.
    pub read_bytes: u64,
}

/// The last use of a buffer in a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Use {
    #[default]
    None,
    Read,
    Write,
}

/// The last uses of all buffers in a submission. A command waits for earlier ones if it uses a buffer that one of them
/// wrote, or writes a buffer that one of them read. For each such command wgpu records one barrier.
#[derive(Debug)]
pub(super) struct Hazards([Use; N_BUFFERS]);

impl Hazards {
    pub fn new() -> Self {
        Self([Use::None; N_BUFFERS])
    }

    /// Adds a command that uses these buffers, each with whether it is written. Returns whether the command waits.
    pub fn add(&mut self, uses: impl IntoIterator<Item = (BufferId, bool)>) -> bool {
        let mut waits = false;
        for (id, writes) in uses {
            let last = &mut self.0[id as usize];
            waits |= *last == Use::Write || (writes && *last == Use::Read);
            *last = if writes { Use::Write } else { Use::Read };
        }
        waits
    }

    /// Adds a dispatch or draw, which reads its arguments from a buffer if it is indirect.
    pub fn add_kernel(&mut self, kernel: &CompiledKernel, is_indirect: bool) -> bool {
        let bound = kernel.interface.bindings.iter().map(|b| (b.buffer, b.access == Access::ReadWrite));
        self.add(bound.chain(is_indirect.then_some((BufferId::IndirectArgs, false))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_share_written_buffers_wait() {
        use BufferId::{Boxes, Control, Poses};
        let mut hazards = Hazards::new();
        assert!(!hazards.add([(Control, true)]));
        assert!(!hazards.add([(Poses, false), (Boxes, true)]), "other buffers");
        assert!(!hazards.add([(Poses, false)]), "two readers");
        assert!(hazards.add([(Boxes, false)]), "written before");
        assert!(!hazards.add([(Boxes, false)]), "the reader before has waited");
        assert!(hazards.add([(Poses, true)]), "read before");
        assert!(hazards.add([(Poses, true)]) && hazards.add([(Control, true)]), "written twice");
    }
}
