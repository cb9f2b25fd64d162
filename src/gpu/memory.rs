//! Buffers and timestamp queries of a device, reused where possible.

use super::device::{Clock, Gpu, TIMES};
use crate::error::Result;
use wgpu::BufferUsages;

/// Maximum number of staging buffers kept for reuse; each page of the scene uses a few.
const MAX_STAGING_BUFFERS: usize = 256;
/// Largest staging buffer that is kept, bytes.
const MAX_STAGING_BYTES: u64 = 1 << 24;

impl Gpu {
    /// Creates a buffer.
    pub(super) fn buffer(&self, descriptor: &wgpu::BufferDescriptor) -> Result<wgpu::Buffer> {
        self.faults.allocation(&self.summary().name)?;
        self.next_object_id();
        self.guarded(|| self.device.create_buffer(descriptor))
    }

    /// A staging buffer: the smallest free buffer that fits and is not much too large, or a new one.
    pub(super) fn staging(&self, bytes: u64) -> Result<wgpu::Buffer> {
        if let Ok(mut free) = self.free_staging.lock() {
            let fits = |b: &wgpu::Buffer| b.size() >= bytes && b.size() / 4 <= bytes.max(1 << 16);
            let fitting = (0..free.len()).filter(|&i| fits(&free[i]));
            if let Some(i) = fitting.min_by_key(|&i| free[i].size()) {
                return Ok(free.swap_remove(i));
            }
        }
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        // A power of two, so that it also fits somewhat more.
        let size = bytes.max(16).next_power_of_two();
        self.buffer(&wgpu::BufferDescriptor { label: Some("readback"), size, usage, mapped_at_creation: false })
    }

    /// Returns an unmapped staging buffer for reuse.
    pub(super) fn keep_staging(&self, buffer: wgpu::Buffer) {
        if let Ok(mut free) = self.free_staging.lock()
            && free.len() < MAX_STAGING_BUFFERS
            && buffer.size() <= MAX_STAGING_BYTES
        {
            free.push(buffer);
        }
    }

    /// A free clock, or a new one.
    pub(super) fn clock(&self) -> Result<Clock> {
        if let Some(free) = self.free_clocks.lock().ok().and_then(|mut free| free.pop()) {
            return Ok(free);
        }
        self.next_object_id();
        let descriptor =
            wgpu::QuerySetDescriptor { label: Some("stages"), ty: wgpu::QueryType::Timestamp, count: TIMES };
        let times = self.device.create_query_set(&descriptor);
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let size = u64::from(TIMES) * 8;
        let descriptor = wgpu::BufferDescriptor { label: Some("times"), size, usage, mapped_at_creation: false };
        Ok(Clock { times, resolved: self.buffer(&descriptor)? })
    }
}
