//! The device.

use super::adapters::AdapterSummary;
use super::block_on::block_on;
use super::faults::{FaultInjection, Faults, out_of_memory};
use super::reflection::MAX_STORAGE_BUFFERS;
use super::traffic::Traffic;
use crate::error::{Error, ErrorKind, Result};
use bytemuck::Pod;
use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// A set of timestamps: two for each span of a submission.
#[derive(Debug)]
pub(super) struct Clock {
    pub times: wgpu::QuerySet,
    pub resolved: wgpu::Buffer,
}

/// Timestamps of a clock.
pub(super) const TIMES: u32 = 1024;

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    summary: AdapterSummary,
    timestamp_period_ns: Option<f32>,
    /// Measures the time of each dispatch instead of that of each stage.
    pub(super) times_kernels: AtomicBool,
    /// True if vertex and fragment stages may access storage buffers.
    fragment_storage: bool,
    /// The first failure that the driver reported outside of a call.
    fault: Arc<Mutex<Option<String>>>,
    pub(super) faults: FaultInjection,
    /// Staging buffers that are not in use.
    pub(super) free_staging: Mutex<Vec<wgpu::Buffer>>,
    /// Clocks that are not in use by a submission.
    pub(super) free_clocks: Mutex<Vec<Clock>>,
    /// The layout of group 1, once a kernel has been compiled.
    pub(super) routing_layout: OnceLock<wgpu::BindGroupLayout>,
    /// Number of buffers, pipelines, bind groups and query sets created so far.
    created: AtomicU64,
    traffic: Mutex<Traffic>,
}

pub(super) fn gpu_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Gpu, message)
}

/// The limits without which no kernel runs.
fn least_limits() -> wgpu::Limits {
    wgpu::Limits { max_storage_buffers_per_shader_stage: MAX_STORAGE_BUFFERS, ..wgpu::Limits::downlevel_defaults() }
}

/// The limits of an adapter as far as kernels profit from them.
fn useful_limits(offered: &wgpu::Limits) -> wgpu::Limits {
    wgpu::Limits {
        max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
        max_buffer_size: offered.max_buffer_size,
        // One more for kernels that count what they execute.
        max_storage_buffers_per_shader_stage: offered.max_storage_buffers_per_shader_stage.min(MAX_STORAGE_BUFFERS + 1),
        max_texture_dimension_2d: offered.max_texture_dimension_2d,
        ..least_limits()
    }
}

/// The first error of a device that no call returns, or the loss of the device.
fn record_faults(device: &wgpu::Device) -> Arc<Mutex<Option<String>>> {
    let fault = Arc::new(Mutex::new(None));
    let record = |fault: &Arc<Mutex<Option<String>>>| {
        let fault = Arc::clone(fault);
        move |message: String| {
            if let Ok(mut fault) = fault.lock() {
                fault.get_or_insert(message);
            }
        }
    };
    let uncaptured = record(&fault);
    device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| uncaptured(e.to_string())));
    let lost = record(&fault);
    device.set_device_lost_callback(move |reason, message| lost(format!("device lost ({reason:?}): {message}")));
    fault
}

impl Gpu {
    pub(super) fn from_adapter(adapter: &wgpu::Adapter, faults: Faults) -> Result<Self> {
        let summary = AdapterSummary::from(adapter.get_info());
        let offered = adapter.limits();
        if offered.max_storage_buffers_per_shader_stage < MAX_STORAGE_BUFFERS {
            return Err(gpu_error(format!(
                "adapter '{}' cannot bind {MAX_STORAGE_BUFFERS} storage buffers",
                summary.name
            )));
        }
        let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("firstcontact"),
            required_features: timestamps,
            required_limits: if faults.least_limits { least_limits() } else { useful_limits(&offered) },
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor))
            .map_err(|e| gpu_error(format!("adapter '{}': {e}", summary.name)))?;
        let fault = record_faults(&device);
        let timestamp_period_ns = (!timestamps.is_empty()).then(|| queue.get_timestamp_period());
        let wanted = wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE | wgpu::DownlevelFlags::VERTEX_STORAGE;
        let fragment_storage = adapter.get_downlevel_capabilities().flags.contains(wanted);
        Ok(Self {
            device,
            queue,
            summary,
            timestamp_period_ns,
            times_kernels: AtomicBool::new(false),
            fragment_storage,
            fault,
            faults: FaultInjection::new(faults),
            free_staging: Mutex::default(),
            free_clocks: Mutex::default(),
            routing_layout: OnceLock::new(),
            created: AtomicU64::new(0),
            traffic: Mutex::default(),
        })
    }

    /// Number of buffers, pipelines, bind groups and query sets created so far; a warm device creates none.
    pub fn created(&self) -> u64 {
        self.created.load(Ordering::Relaxed)
    }

    /// Counts an object that is about to be created, and returns its id.
    pub(super) fn next_object_id(&self) -> u64 {
        self.created.fetch_add(1, Ordering::Relaxed)
    }

    /// Work submitted so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.lock().map_or_else(|_| Traffic::default(), |traffic| *traffic)
    }

    /// Changes the counts of submitted work.
    pub(super) fn count(&self, change: impl FnOnce(&mut Traffic)) {
        if let Ok(mut traffic) = self.traffic.lock() {
            change(&mut traffic);
        }
    }

    /// Description of the adapter.
    pub fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// Length of a step of the device's clock, nanoseconds; `None` if it has no clock.
    pub fn timestamp_period_ns(&self) -> Option<f32> {
        self.timestamp_period_ns
    }

    /// Measures the time of each dispatch instead of that of each stage, which takes a compute pass for each.
    pub fn set_times_kernels(&self, times_kernels: bool) {
        self.times_kernels.store(times_kernels, Ordering::Relaxed);
    }

    /// Returns whether vertex and fragment stages may access storage buffers; nearly every adapter supports it.
    pub fn supports_fragment_storage(&self) -> bool {
        self.fragment_storage
    }

    /// Largest buffer that a kernel can bind, bytes.
    pub fn max_binding(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Maximum number of bytes in a buffer of a page of the scene.
    pub(super) fn page_bytes(&self) -> u64 {
        self.max_binding().min(self.faults.page_bytes())
    }

    /// Submits pending writes, and waits until they are complete.
    pub(super) fn flush(&self) -> Result<()> {
        let index = self.queue.submit([]);
        self.wait_for(Some(index))
    }

    /// The first failure reported so far.
    ///
    /// # Errors
    /// A failure was reported.
    pub fn check(&self) -> Result<()> {
        match self.fault.lock() {
            Ok(fault) => fault.as_ref().map_or(Ok(()), |m| Err(gpu_error(m.clone()))),
            Err(_) => Err(gpu_error("a driver callback failed")),
        }
    }

    /// Marks the device as lost, and returns the error to report.
    pub fn mark_lost(&self, error: &Error) -> Error {
        if let Ok(mut fault) = self.fault.lock() {
            fault.get_or_insert_with(|| error.to_string());
        }
        let message = format!("adapter '{}' failed: {error}", self.summary.name);
        gpu_error(message).remedy("a new device is opened for the next motions; --backend cpu does without the adapter")
    }

    /// Runs `create` and turns a failure of the driver (no memory, invalid kernel) into an error.
    pub(super) fn guarded<T>(&self, create: impl FnOnce() -> T) -> Result<T> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = create();
        let errors = [block_on(validation.pop()), block_on(memory.pop())];
        match errors.into_iter().flatten().next() {
            Some(e @ wgpu::Error::OutOfMemory { .. }) => Err(out_of_memory(&self.summary.name, &e.to_string())),
            Some(e) => Err(gpu_error(e.to_string())),
            None => Ok(made),
        }
    }

    /// Starts mapping the first bytes of a buffer for reading; the work that fills it has been submitted.
    pub(super) fn map(&self, buffer: wgpu::Buffer, bytes: u64) -> Mapping {
        let (sender, receiver) = oneshot_channel();
        buffer.slice(0..bytes).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver waits in `Mapping::bytes`, or was dropped with it.
            let _ = sender.send(result);
        });
        Mapping { buffer, bytes, receiver }
    }

    /// Waits for submitted work: all of it, or up to a submission.
    pub(super) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let poll = wgpu::PollType::Wait { submission_index, timeout: None };
        self.device.poll(poll).map_err(|e| gpu_error(e.to_string()))?;
        self.check()
    }
}

/// A buffer that is being mapped for reading.
#[derive(Debug)]
pub(super) struct Mapping {
    buffer: wgpu::Buffer,
    bytes: u64,
    receiver: OneshotReceiver<std::result::Result<(), wgpu::BufferAsyncError>>,
}

impl Mapping {
    /// The content as items, of which the last may be incomplete; call this only after waiting for the work.
    pub(super) fn items<T: Pod>(self, gpu: &Gpu) -> Result<Vec<T>> {
        if !matches!(block_on(self.receiver.receive()), Some(Ok(()))) {
            gpu.check()?;
            return Err(gpu_error("a buffer could not be read back"));
        }
        let view = self.buffer.slice(0..self.bytes).get_mapped_range().map_err(|e| gpu_error(format!("{e:?}")))?;
        let items = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        self.buffer.unmap();
        gpu.keep_staging(self.buffer);
        Ok(items)
    }
}
