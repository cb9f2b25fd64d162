//! Faults that are made on purpose, so that tests can show what becomes of them.

use crate::error::{Error, ErrorKind, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// What goes wrong with a device. By default nothing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The buffer of this number, counted from 0, finds no memory.
    pub allocation: Option<u64>,
    /// The device is lost when work is submitted for this time, counted from 0.
    pub loss: Option<u64>,
    /// The adapter offers what every adapter does and no more.
    pub least_limits: bool,
    /// A page of the scene has no more than so many bytes in a buffer.
    pub page_bytes: Option<u64>,
}

/// Faults, and how far it is to them.
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

    /// Bytes of a page, at most.
    pub(super) fn page_bytes(&self) -> u64 {
        self.faults.page_bytes.unwrap_or(u64::MAX)
    }

    /// One buffer more.
    pub(super) fn allocation(&self, adapter: &str) -> Result<()> {
        let n = self.allocations.fetch_add(1, Ordering::Relaxed);
        if self.faults.allocation == Some(n) {
            return Err(out_of_memory(adapter, "made to fail"));
        }
        Ok(())
    }

    /// One submission more: whether the device is lost with it.
    pub(super) fn should_lose_device(&self) -> bool {
        let n = self.submissions.fetch_add(1, Ordering::Relaxed);
        self.faults.loss == Some(n)
    }
}

/// The error of a device that has no memory left.
pub(super) fn out_of_memory(adapter: &str, why: &str) -> Error {
    let error = Error::new(ErrorKind::Memory, format!("adapter '{adapter}': {why}"));
    error.remedy("give a smaller --memory, or use --backend cpu")
}
