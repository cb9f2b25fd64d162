//! Simulated faults, so that tests can show their consequences.

use crate::error::{Error, ErrorKind, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Simulated faults of a device; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The allocation of the buffer with this index, counted from 0, fails.
    pub allocation: Option<u64>,
    /// The device is lost at the submission with this index, counted from 0.
    pub loss: Option<u64>,
    /// The adapter offers only the limits that every adapter supports.
    pub least_limits: bool,
    /// Maximum number of bytes in a buffer of a page of the scene.
    pub page_bytes: Option<u64>,
    /// The number of additional devices on each of several adapters, so that a machine with one adapter appears to have
    /// more.
    pub more_devices: usize,
}

/// Faults, and the counts that trigger them.
#[derive(Debug)]
pub(super) struct FaultInjection {
    faults: Faults,
    allocations: AtomicU64,
    submissions: AtomicU64,
}

impl FaultInjection {
    pub(super) fn new(faults: Faults) -> Self {
        Self { faults, allocations: AtomicU64::new(0), submissions: AtomicU64::new(0) }
    }

    /// Maximum number of bytes of a page.
    pub(super) fn page_bytes(&self) -> u64 {
        self.faults.page_bytes.unwrap_or(u64::MAX)
    }

    /// Counts an allocation, and fails if it is the faulty one.
    pub(super) fn allocation(&self, adapter: &str) -> Result<()> {
        let n = self.allocations.fetch_add(1, Ordering::Relaxed);
        if self.faults.allocation == Some(n) {
            return Err(out_of_memory(adapter, "made to fail"));
        }
        Ok(())
    }

    /// Counts a submission; returns whether the device is lost with it.
    pub(super) fn should_lose_device(&self) -> bool {
        let n = self.submissions.fetch_add(1, Ordering::Relaxed);
        self.faults.loss == Some(n)
    }
}

/// The error of a device without free memory.
pub(super) fn out_of_memory(adapter: &str, why: &str) -> Error {
    let error = Error::new(ErrorKind::Memory, format!("adapter '{adapter}': {why}"));
    error.remedy("give a smaller --memory, or use --backend cpu")
}
