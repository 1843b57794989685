//! The handle of a device for its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::client::ClientMemory;
use super::loader::{ElfLoader, ProgramLoader};
use super::pe::Context;
use super::queue::{Buffer, Queue, SubmitError, SubmitId, WaitError};
use super::recorder::Recorder;
use super::report::SubmissionReport;
use crate::engine::{Engine, NoProgress};
use crate::launch::{FloatMode, Limits};
use crate::memory::{Arena, ArenaKind, ArenaSizes, Memory, MemoryError, PAGE_LOG2};

/// The configuration of a device.
#[derive(Clone)]
pub struct DeviceConfig {
    /// The sizes of the arenas.
    pub arenas: ArenaSizes,
    /// Runs the launches.
    pub engine: Arc<dyn Engine>,
    /// Loads the programs.
    pub loader: Arc<dyn ProgramLoader>,
    /// Arithmetic mode.
    pub mode: FloatMode,
    /// Limits of the launches.
    pub limits: Limits,
    /// Whether all launches keep statistics.
    pub statistics: bool,
    /// Whether to check that submissions invalidate and flush caches where the machine needs it
    /// ([`Hazard::Incoherent`](super::Hazard)). Each launch is then waited for.
    pub coherence: bool,
    /// The number of reports kept for [`Device::wait`]; at least 1.
    pub reports: usize,
    /// Whether a client outside Rust accesses system memory directly, through the pointer of
    /// [`Device::client_memory`].
    pub client_memory: bool,
    /// Receives everything that has an effect on the device.
    pub recorder: Option<Arc<dyn Recorder>>,
}

impl DeviceConfig {
    /// Default arenas, ELF programs, exact arithmetic, default limits, no statistics, no check
    /// of coherence, the last 4096 reports, no client memory, no recorder.
    pub fn new(engine: Arc<dyn Engine>) -> DeviceConfig {
        DeviceConfig {
            arenas: ArenaSizes::default(),
            engine,
            loader: Arc::new(ElfLoader),
            mode: FloatMode::Exact,
            limits: Limits::default(),
            statistics: false,
            coherence: false,
            reports: 4096,
            client_memory: false,
            recorder: None,
        }
    }
}

/// Errors of opening a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Its memory cannot be allocated.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// This process was forked from one that had opened a device. Threads of engines do not exist
    /// here.
    #[error(
        "this process was forked from process {opener} after that had opened a device; fork before, or start a new program"
    )]
    Forked {
        /// The process that opened a device.
        opener: u32,
    },
    /// Its thread cannot be started.
    #[error("the device's thread cannot be started: {0}")]
    Thread(String),
}

/// The device belongs to another process, from which this one was forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device belongs to process {opener}, which opened it before this process was forked; only that process can use it"
)]
pub struct Inherited {
    /// The process that opened the device.
    pub opener: u32,
}

/// The process that opened the first device; 0: none.
static OPENER: AtomicU32 = AtomicU32::new(0);

/// An open device: memory, and a thread that executes submissions in order; small ones run in the
/// thread that makes them.
///
/// All methods take `&self` and may be called from several threads. Host accesses to memory
/// alternate with submissions: neither sees the other half done. Dropping the device stops the
/// running submission, drops the waiting ones, and frees everything.
///
/// # Examples
/// Errors are in the report, and the device stays usable.
/// ```
/// use ctm_machine::command::Builder;
/// use ctm_machine::device::{Device, DeviceConfig};
/// use ctm_machine::engine::block::Block;
/// use std::sync::Arc;
///
/// let device = Device::open(DeviceConfig::new(Arc::new(Block::new())))?;
/// let mut commands = Builder::new();
/// commands.append_start_program();
/// let report = device.wait(device.submit_words(commands.into_words()))?;
/// let error = report.error.as_ref().map(ToString::to_string);
/// let expected = "word 0 (0xc0000800): start_program: set_inst_fmt was never given";
/// assert_eq!(error.as_deref(), Some(expected));
///
/// let report = device.wait(device.submit_words(Vec::new()))?;
/// assert_eq!((report.launches, &report.error), (0, &None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Device {
    queue: Arc<Queue>,
    arenas: Vec<Arena>,
    bases: [u32; 4],
    config: Arc<DeviceConfig>,
    /// The process that opened it.
    process: u32,
    worker: Option<JoinHandle<()>>,
}

impl Device {
    /// Opens a device in its power-on state, with zeroed memory.
    ///
    /// # Errors
    /// [`OpenError`] if the host has no memory or no thread for it.
    pub fn open(config: DeviceConfig) -> Result<Device, OpenError> {
        Device::check_fork()?;
        let process = std::process::id();
        OPENER.store(process, Ordering::Relaxed);
        let memory = Memory::new(&config.arenas)?;
        let arenas = memory.arenas().to_vec();
        let bases = ArenaKind::ALL.map(|kind| memory.base(kind));
        let client =
            config.client_memory.then(|| ClientMemory::new(&memory, config.recorder.is_some()));
        let recorder = config.recorder.clone();
        let queue = Queue::new(memory, client.transpose()?, config.reports.max(1), recorder);
        let queue = Arc::new(queue);
        let config = Arc::new(config);
        let (shared, of_worker) = (Arc::clone(&queue), Arc::clone(&config));
        let worker = std::thread::Builder::new()
            .name("ctm-device".to_string())
            .spawn(move || shared.run(&context(&of_worker, &shared)))
            .map_err(|error| OpenError::Thread(error.to_string()))?;
        Ok(Device { queue, arenas, bases, config, process, worker: Some(worker) })
    }

    /// Checks that this process was not forked from one that had opened a device.
    ///
    /// # Errors
    /// [`OpenError::Forked`] if it was: it can open none.
    pub fn check_fork() -> Result<(), OpenError> {
        match OPENER.load(Ordering::Relaxed) {
            opener if opener == 0 || opener == std::process::id() => Ok(()),
            opener => Err(OpenError::Forked { opener }),
        }
    }

    /// Checks that this process opened the device. After a fork, the child has a copy without the
    /// device's thread: its calls could wait for ever.
    ///
    /// # Errors
    /// [`Inherited`] in another process.
    pub fn check_process(&self) -> Result<(), Inherited> {
        let opener = self.process;
        if opener == std::process::id() { Ok(()) } else { Err(Inherited { opener }) }
    }

    /// The arenas that are not empty, in the order GPU, GPUb, SYS, SYSc.
    pub fn arenas(&self) -> &[Arena] {
        &self.arenas
    }

    /// The base address of an arena, even an empty one (SYS and SYSc always have the same).
    pub fn base(&self, kind: ArenaKind) -> u32 {
        self.bases[kind as usize]
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.config.engine
    }

    /// Submits the command buffer of `words` 32-bit words at `address` in device memory. It is read
    /// when its turn comes. Does not block; if nothing else is pending, a buffer that takes some
    /// microseconds is executed in this call.
    ///
    /// # Errors
    /// [`SubmitError`] for an address that is not a multiple of 4, or a buffer that is not inside
    /// one arena. Errors inside the buffer are in the report.
    pub fn submit(&self, address: u32, words: u32) -> Result<SubmitId, SubmitError> {
        if !address.is_multiple_of(4) {
            return Err(SubmitError::Misaligned { address });
        }
        if !self.arenas.iter().any(|arena| arena.contains(address, 4 * u64::from(words))) {
            return Err(SubmitError::OutsideMemory { address, words });
        }
        Ok(self.queued(Buffer::Device { address, words }))
    }

    /// Submits a command buffer from the host, as [`Device::submit`] does.
    pub fn submit_words(&self, words: Vec<u32>) -> SubmitId {
        self.queued(Buffer::Host(words))
    }

    fn queued(&self, buffer: Buffer) -> SubmitId {
        self.queue.submit(buffer, &context(&self.config, &self.queue))
    }

    /// Whether a submission is complete; then all its effects are visible. `None` for an id that
    /// this device did not issue. Does not block.
    pub fn consumed(&self, id: SubmitId) -> Option<bool> {
        self.queue.consumed(id)
    }

    /// The number of submissions so far.
    pub fn issued(&self) -> u64 {
        self.queue.issued()
    }

    /// The last complete submission with an error or a fault.
    pub fn last_failed(&self) -> Option<SubmitId> {
        SubmitId::new(self.queue.last_failed())
    }

    /// The system memory shared with the client, if the device was opened with it.
    pub fn client_memory(&self) -> Option<&ClientMemory> {
        self.queue.client()
    }

    /// Stops the running submission, as [`Device::cancel`] does, and drops the waiting ones. Later
    /// submissions are never executed; waiting for them gives [`WaitError::Closed`].
    pub fn close(&self) {
        self.queue.close();
    }

    /// Stops a submission. A running launch ends early, with each of its groups written completely
    /// or not at all, and no further command is executed. The submission then completes with an
    /// error that says so; this method does not wait for that. `Some(false)` if there is nothing to
    /// stop, because the submission is complete or the device closed; `None` for an id that this
    /// device did not issue.
    pub fn cancel(&self, id: SubmitId) -> Option<bool> {
        self.queue.cancel(id)
    }

    /// Waits until a submission is complete. Several threads may wait for one.
    ///
    /// # Errors
    /// [`WaitError`] for an id that this device did not issue, whose report is no longer kept, or
    /// that was never executed because the device was closed.
    pub fn wait(&self, id: SubmitId) -> Result<Arc<SubmissionReport>, WaitError> {
        self.queue.wait(id)
    }

    /// Waits until a submission is complete, or for so long. Returns at once for an id that this
    /// device did not issue.
    pub fn pause(&self, id: SubmitId, at_most: Duration) {
        self.queue.pause(id, at_most);
    }

    /// Gives the host access to all of memory, once the running submission is complete. Later
    /// submissions wait meanwhile, so `access` must not wait for a submission.
    ///
    /// With [`DeviceConfig::client_memory`], `access` sees a working copy of system memory, which
    /// holds the bytes that submissions used, as they left them.
    pub fn with_memory<R>(&self, access: impl FnOnce(&mut Memory) -> R) -> R {
        let mut memory = self.queue.host_memory();
        let Some(recorder) = self.queue.recorder() else {
            return access(&mut memory);
        };
        let before = memory.observe();
        let result = access(&mut memory);
        recorder.wrote(&changed_since(&memory, before));
        result
    }

    /// Fills `into` with the bytes from `address` on.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`]; `into` is unchanged then.
    pub fn read_memory(&self, address: u32, into: &mut [u8]) -> Result<(), MemoryError> {
        if self.client_memory().is_some_and(|client| client.read(address, into)) {
            return Ok(());
        }
        self.with_memory(|memory| memory.read(address, into))
    }

    /// Writes `bytes` from `address` on.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`]; nothing is written then.
    pub fn write_memory(&self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        if self.client_memory().is_some_and(|client| client.write(address, bytes)) {
            return Ok(());
        }
        let mut memory = self.queue.host_memory();
        memory.write(address, bytes)?;
        if let Some(recorder) = self.queue.recorder() {
            recorder.wrote(&[(address, bytes)]);
        }
        Ok(())
    }
}

/// The executor of a device's submissions.
fn context<'a>(config: &'a DeviceConfig, queue: &'a Queue) -> Context<'a> {
    Context {
        engine: config.engine.as_ref(),
        loader: config.loader.as_ref(),
        mode: config.mode,
        limits: config.limits,
        statistics: config.statistics,
        coherence: config.coherence,
        progress: &NoProgress,
        recorded: config.recorder.is_some(),
        client: queue.client(),
        ..Context::new(config.engine.as_ref())
    }
}

/// The pages that were written after a call of [`Memory::observe`].
fn changed_since(memory: &Memory, before: u64) -> Vec<(u32, &[u8])> {
    let mut changed = Vec::new();
    for ((base, bytes), versions) in memory.ranges().zip(memory.versions()) {
        let addresses = (u64::from(base)..).step_by(1 << PAGE_LOG2);
        for ((page, &version), address) in bytes.chunks(1 << PAGE_LOG2).zip(versions).zip(addresses)
        {
            if version > before {
                changed.push((address as u32, page));
            }
        }
    }
    changed
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.check_process().is_err() {
            // Its thread is in the other process, and may hold locks of this copy.
            std::mem::forget((self.worker.take(), Arc::clone(&self.queue)));
            return;
        }
        self.queue.close();
        if let Some(worker) = self.worker.take() {
            // The worker catches the panics of engines and returns nothing.
            let _ = worker.join();
        }
    }
}

#[cfg(test)]
mod tests;
