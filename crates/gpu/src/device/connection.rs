//! An open adapter. Every failure is returned as a [`GpuError`]. wgpu's default, a panic, is
//! disabled.

use crate::device::adapter::{AdapterChoice, AdapterInfo, AdapterKind, Adapters, STORAGE_BUFFERS};
use crate::device::float_controls::{self, FloatControls};
use crate::device::watch::Watch;
use ctm_base::panics;
use ctm_machine::engine::GpuError;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An open adapter, with the error it ran into, if any. Clones are the same device.
#[derive(Clone)]
pub struct Gpu {
    /// wgpu's device.
    pub device: wgpu::Device,
    /// Its only queue.
    pub queue: wgpu::Queue,
    /// Information about the adapter.
    pub info: AdapterInfo,
    /// The limits: for everything that a compute shader uses, all that the adapter has.
    pub limits: wgpu::Limits,
    adapter: wgpu::Adapter,
    float_controls: Option<FloatControls>,
    failure: Arc<Failure>,
    /// Does not report errors from outside its own calls, other than a lost device.
    aside: bool,
    watch: Option<Arc<dyn Watch>>,
}

/// The errors that occurred outside any [`Gpu::scoped`].
#[derive(Default)]
struct Failure {
    first: Mutex<Option<GpuError>>,
    /// The number of errors.
    count: AtomicU64,
    /// The next buffer is refused: see [`Gpu::starve`].
    starved: AtomicBool,
    /// See [`Gpu::uploaded`].
    uploaded: AtomicU64,
}

impl Failure {
    /// Keeps the first error, but a lost device replaces any other error.
    fn set(&self, error: GpuError) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.first.lock();
        match kept.as_ref() {
            Some(first) if first.is_lost() || !error.is_lost() => {}
            _ => *kept = Some(error),
        }
    }
}

/// Converts wgpu's error.
fn translated(error: wgpu::Error, what: &str, bytes: u64) -> GpuError {
    let what = what.to_string();
    match error {
        wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory { what, bytes },
        wgpu::Error::Validation { description, .. } => {
            GpuError::Validation { what, message: shorter(&description) }
        }
        wgpu::Error::Internal { description, .. } => {
            GpuError::Internal { what, message: shorter(&description) }
        }
    }
}

/// wgpu's text without the heading and the name of the call. The rest may have several lines.
fn shorter(text: &str) -> String {
    let body = text.split_once("Caused by:").map_or(text, |(_, body)| body);
    let mut lines = body.lines().filter(|line| !line.trim().is_empty());
    let rest: Vec<&str> = match lines.next() {
        Some(first) if !first.trim_start().starts_with("In ") => {
            std::iter::once(first).chain(lines).collect()
        }
        _ => lines.collect(),
    };
    rest.join("\n").trim().to_string()
}

impl Gpu {
    /// Lists the adapters and opens the chosen one.
    ///
    /// # Errors
    /// Fails if there is no such adapter or it cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Adapters::list().open(choice)
    }

    pub(crate) fn new(info: &AdapterInfo, adapter: &wgpu::Adapter) -> Result<Gpu, GpuError> {
        if let Some(missing) = info.missing.first() {
            return Err(missing.clone());
        }
        let limits = limits(&info.limits);
        let mut features = wgpu::Features::PIPELINE_CACHE
            | wgpu::Features::SUBGROUP
            | wgpu::Features::TIMESTAMP_QUERY;
        // Shaders with float controls are SPIR-V.
        let float_controls = float_controls::of(adapter);
        features.set(wgpu::Features::PASSTHROUGH_SHADERS, float_controls.is_some());
        features &= adapter.features();
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: None,
            required_features: features,
            required_limits: limits.clone(),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        });
        let (device, queue) = pollster::block_on(request).map_err(|error| GpuError::NoDevice {
            adapter: info.name.clone(),
            reason: error.to_string(),
        })?;
        let failure = Arc::new(Failure::default());
        let lost = Arc::clone(&failure);
        let name = info.name.clone();
        device.set_device_lost_callback(move |reason, message| {
            let reason = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_string(),
                wgpu::DeviceLostReason::Unknown if message.is_empty() => "no reason given".into(),
                wgpu::DeviceLostReason::Unknown => message,
            };
            let adapter = name.clone();
            lost.set(GpuError::Lost { adapter, reason });
        });
        let uncaptured = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| {
            uncaptured.set(translated(error, "a call", 0));
        }));
        Ok(Gpu {
            device,
            queue,
            info: info.clone(),
            limits,
            adapter: adapter.clone(),
            float_controls,
            failure,
            aside: false,
            watch: None,
        })
    }

    /// Another device on the same adapter, with its own queue. Drivers that run on the CPU compile
    /// and run the work of one queue one after the other.
    ///
    /// # Errors
    /// Fails if the adapter provides no more devices.
    pub fn another(&self) -> Result<Gpu, GpuError> {
        let watch = self.watch.clone();
        Ok(Gpu { watch, ..Gpu::new(&self.info, &self.adapter)? })
    }

    /// Whether an array of a point is as fast as workgroup memory, or faster: on NVIDIA's GPUs, and on
    /// CPUs. Elsewhere compilers spread it over registers.
    pub fn has_private_arrays(&self) -> bool {
        const NVIDIA: u32 = 0x10de;
        self.info.kind == AdapterKind::Software || self.adapter.get_info().vendor == NVIDIA
    }

    /// Whether shaders may use subgroup operations.
    pub fn has_subgroups(&self) -> bool {
        self.device.features().contains(wgpu::Features::SUBGROUP)
    }

    /// Whether passes can be timed.
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// The float controls that shaders may ask for; `None` if they cannot have all of them.
    pub fn float_controls(&self) -> Option<FloatControls> {
        self.float_controls
    }

    /// The same device, for work beside launches. It reports only errors of its own calls and a
    /// lost device. It leaves other errors in place for the launches, and no watch sees it.
    pub fn aside(&self) -> Gpu {
        Gpu { aside: true, watch: None, ..self.clone() }
    }

    /// Size in bytes of the largest buffer that can be bound whole.
    pub fn largest_binding(&self) -> u64 {
        let limits = &self.limits;
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Reports an error that occurred since the last call, outside [`scoped`](Self::scoped) and on
    /// any thread. A lost device stays an error forever; other errors are reported once.
    ///
    /// # Errors
    /// The first error.
    pub fn check(&self) -> Result<(), GpuError> {
        let mut kept = self.failure.first.lock();
        match kept.as_ref() {
            None => Ok(()),
            Some(error) if error.is_lost() => Err(error.clone()),
            Some(_) if self.aside => Ok(()),
            Some(_) => kept.take().map_or(Ok(()), Err),
        }
    }

    /// Whether the device is lost. Reports no error.
    pub fn is_lost(&self) -> bool {
        self.failure.first.lock().as_ref().is_some_and(GpuError::is_lost)
    }

    /// The number of errors that occurred outside any [`scoped`](Self::scoped) so far. If it stays
    /// the same during some calls, an error of these calls is their own, and nothing submitted
    /// before them has failed.
    pub fn failures(&self) -> u64 {
        self.failure.count.load(Ordering::Relaxed)
    }

    /// Calls wgpu and returns the first error of these calls, including a lost device. `what` is a
    /// human-readable name for the calls. `bytes` is the memory they take, or 0 if that does not
    /// matter.
    ///
    /// [`wait`](Self::wait) reports errors of a submission that appear only while it runs.
    ///
    /// # Errors
    /// The first error of the calls. The value is then discarded.
    pub fn scoped_for<T>(
        &self,
        what: &str,
        bytes: u64,
        calls: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T, GpuError> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        self.check()?;
        let device = &self.device;
        let scopes = [OutOfMemory, Internal, Validation].map(|f| device.push_error_scope(f));
        let value = calls(device);
        // Scopes end in reverse order. A call without memory is often also refused for what it then
        // lacks; the outer scope has the cause.
        let mut error = None;
        for scope in scopes.into_iter().rev() {
            error = pollster::block_on(scope.pop()).or(error);
        }
        if let Some(wgpu::Error::Validation { .. }) = error {
            self.unless_lost()?;
        }
        self.check()?;
        match error {
            Some(error) => Err(translated(error, what, bytes)),
            None => Ok(value),
        }
    }

    /// Waits, after a call was refused, until a lost device is known. wgpu reports it only through the callback, and
    /// before the callback it refuses calls for objects that a lost device could not make or has destroyed. The
    /// callback runs once submitted work has ended, perhaps on another thread.
    ///
    /// # Errors
    /// [`GpuError::Lost`], as [`wait`](Self::wait).
    pub(crate) fn unless_lost(&self) -> Result<(), GpuError> {
        for _ in 0..10 {
            self.wait(None)?;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(())
    }

    /// [`scoped_for`](Self::scoped_for) without a size.
    ///
    /// # Errors
    /// As [`scoped_for`](Self::scoped_for).
    pub fn scoped<T>(
        &self,
        what: &str,
        calls: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T, GpuError> {
        self.scoped_for(what, 0, calls)
    }

    /// Copies bytes to a buffer from `at` on. The copy precedes all work submitted afterwards. `at`
    /// and the number of bytes are multiples of 4.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn upload(
        &self,
        what: &str,
        buffer: &wgpu::Buffer,
        at: u64,
        bytes: &[u8],
    ) -> Result<(), GpuError> {
        let size = bytes.len() as u64;
        self.failure.uploaded.fetch_add(size, Ordering::Relaxed);
        self.scoped_for(what, size, |_| self.queue.write_buffer(buffer, at, bytes))
    }

    /// The number of bytes uploaded so far.
    pub fn uploaded(&self) -> u64 {
        self.failure.uploaded.load(Ordering::Relaxed)
    }

    /// An encoder for commands.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn encoder(&self) -> Result<wgpu::CommandEncoder, GpuError> {
        self.scoped("recording commands", |device| {
            device.create_command_encoder(&Default::default())
        })
    }

    /// A buffer of `size` bytes, all 0.
    ///
    /// # Errors
    /// [`GpuError::Limits`] if the adapter cannot hold such a buffer, [`GpuError::OutOfMemory`],
    /// [`GpuError::Lost`].
    pub fn buffer(
        &self,
        what: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let limit = if usage.contains(wgpu::BufferUsages::STORAGE) {
            self.largest_binding()
        } else {
            self.limits.max_buffer_size
        };
        if size > limit {
            return Err(GpuError::Limits {
                adapter: self.info.name.clone(),
                what: format!("the largest buffer in bytes, for {what},"),
                need: size,
                have: limit,
            });
        }
        if self.failure.starved.swap(false, Ordering::Relaxed) {
            return Err(GpuError::OutOfMemory { what: what.to_string(), bytes: size });
        }
        let mut usage = usage;
        if self.watch.is_some() && !usage.contains(wgpu::BufferUsages::MAP_READ) {
            usage |= wgpu::BufferUsages::COPY_SRC;
        }
        self.scoped_for(what, size, |device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    /// Waits until the given submission has ended, or all of them, and runs due callbacks.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device is lost, and any error that [`check`](Self::check) reports.
    pub fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::Wait { submission_index: submission, timeout: None }).map(|_| ())
    }

    /// Runs due callbacks without waiting. Returns whether all submitted work has ended.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn poll_once(&self) -> Result<bool, GpuError> {
        self.poll(wgpu::PollType::Poll).map(|status| status.is_queue_empty())
    }

    fn poll(&self, how: wgpu::PollType) -> Result<wgpu::PollStatus, GpuError> {
        // If the driver loses the device during the wait, wgpu 30 panics (Device::poll,
        // handle_error_fatal) after calling the callback. There is no other way to wait.
        let polled = panics::catch(|| self.device.poll(how));
        self.check()?;
        match polled {
            Ok(Ok(status)) => Ok(status),
            Ok(Err(error)) => {
                Err(GpuError::Internal { what: "waiting".into(), message: error.to_string() })
            }
            Err(panic) => {
                Err(GpuError::Lost { adapter: self.info.name.clone(), reason: panic.message })
            }
        }
    }

    /// Makes the next call end with this error, as if the driver had reported it. For tests of
    /// errors that no driver produces on demand.
    #[doc(hidden)]
    pub fn fail(&self, error: GpuError) {
        self.failure.set(error);
    }

    /// The next buffer is refused as if there were no memory for it. For tests of adapters that
    /// have too little.
    #[doc(hidden)]
    pub fn starve(&self) {
        self.failure.starved.store(true, Ordering::Relaxed);
    }

    /// The same device, with its dispatches shown to `watch`. It must not have any buffers yet.
    #[doc(hidden)]
    pub fn watched(self, watch: Arc<dyn Watch>) -> Gpu {
        Gpu { watch: Some(watch), ..self }
    }

    pub(crate) fn watch(&self) -> Option<&dyn Watch> {
        self.watch.as_deref()
    }

    /// Loses the device on purpose: every later call ends with [`GpuError::Lost`]. For tests of how
    /// callers react.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.device.destroy();
        // The callback runs in a poll, perhaps on another thread, once submitted work has ended.
        for _ in 0..10_000 {
            let _ = self.poll_once();
            if self.check().is_err_and(|error| error.is_lost()) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

/// The limits to ask for: wgpu's smallest set, with everything that compute shaders use raised to
/// what the adapter has. The number of storage buffers is not: wgpu refuses shaders with more.
fn limits(adapter: &wgpu::Limits) -> wgpu::Limits {
    let small = wgpu::Limits::downlevel_webgl2_defaults().or_worse_values_from(adapter);
    wgpu::Limits {
        max_bind_groups: adapter.max_bind_groups,
        max_bindings_per_bind_group: adapter.max_bindings_per_bind_group,
        max_storage_buffers_per_shader_stage: STORAGE_BUFFERS,
        max_uniform_buffers_per_shader_stage: adapter.max_uniform_buffers_per_shader_stage,
        max_uniform_buffer_binding_size: adapter.max_uniform_buffer_binding_size,
        max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
        max_buffer_size: adapter.max_buffer_size,
        max_dynamic_storage_buffers_per_pipeline_layout: adapter
            .max_dynamic_storage_buffers_per_pipeline_layout,
        max_dynamic_uniform_buffers_per_pipeline_layout: adapter
            .max_dynamic_uniform_buffers_per_pipeline_layout,
        min_storage_buffer_offset_alignment: adapter.min_storage_buffer_offset_alignment,
        min_uniform_buffer_offset_alignment: adapter.min_uniform_buffer_offset_alignment,
        max_compute_workgroup_storage_size: adapter.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: adapter.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: adapter.max_compute_workgroup_size_x,
        max_compute_workgroup_size_y: adapter.max_compute_workgroup_size_y,
        max_compute_workgroup_size_z: adapter.max_compute_workgroup_size_z,
        max_compute_workgroups_per_dimension: adapter.max_compute_workgroups_per_dimension,
        max_buffers_and_acceleration_structures_per_shader_stage: adapter
            .max_buffers_and_acceleration_structures_per_shader_stage,
        ..small
    }
}

#[cfg(test)]
mod tests {
    use crate::device::connection::{GpuError, shorter, translated};

    #[test]
    fn errors_of_wgpu_become_those_of_the_engine() {
        let source = || "cause".into();
        let memory = translated(wgpu::Error::OutOfMemory { source: source() }, "an arena", 7);
        assert_eq!(memory, GpuError::OutOfMemory { what: "an arena".into(), bytes: 7 });
        let refused = translated(
            wgpu::Error::Validation { source: source(), description: "Plain".into() },
            "a call",
            0,
        );
        assert_eq!(refused.to_string(), "a call: refused by wgpu: Plain");
        let failed = translated(
            wgpu::Error::Internal { source: source(), description: "Plain".into() },
            "a call",
            0,
        );
        assert_eq!(failed.to_string(), "a call: the driver failed: Plain");
    }

    #[test]
    fn texts_of_wgpu_lose_their_heading() {
        let text =
            "Validation Error\n\nCaused by:\n  In Device::f\n    It is wrong\n      here\n\n";
        assert_eq!(shorter(text), "It is wrong\n      here");
        assert_eq!(shorter("Plain\n"), "Plain");
        assert_eq!(shorter(""), "");
    }
}
