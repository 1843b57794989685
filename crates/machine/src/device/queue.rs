//! The submit queue: command buffers in order, one at a time, completion by id.
//!
//! A submission that takes less time than a change to the worker's thread runs in the thread that
//! submits it, if nothing else is pending.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::client::ClientMemory;
use super::pe::{Context, Pe};
use super::recorder::{Recorder, Submitted as Recorded};
use super::report::{DeviceError, SubmissionReport};
use crate::engine::Stop;
use crate::memory::Memory;
use ctm_base::panics::{self, Panic};

/// Identifies a submission; never zero, and unique within a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubmitId(NonZeroU64);

impl SubmitId {
    /// The id with this number; `None` for 0.
    pub fn new(number: u64) -> Option<SubmitId> {
        NonZeroU64::new(number).map(SubmitId)
    }
    /// The number: 1 for the first submission of a device, then 2, and so on.
    pub fn get(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for SubmitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Errors of submitting a command buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The buffer's address is not aligned to a word.
    #[error("command buffer at 0x{address:08x}: the address must be a multiple of 4")]
    Misaligned {
        /// Its address.
        address: u32,
    },
    /// The buffer is not inside memory.
    #[error("command buffer at 0x{address:08x}: its {words} words are not inside one arena")]
    OutsideMemory {
        /// Its address.
        address: u32,
        /// Its length.
        words: u32,
    },
}

/// Errors of waiting for a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// No such submission.
    #[error("submission {id}: no such submission on this device, {issued} were made")]
    Unknown {
        /// The id.
        id: SubmitId,
        /// Submissions made so far.
        issued: u64,
    },
    /// The device was closed before the submission was executed.
    #[error("submission {id}: the device was closed before it was executed")]
    Closed {
        /// The id.
        id: SubmitId,
    },
    /// The submission is complete, but its report is gone.
    #[error("submission {id}: only the last {kept} reports are kept")]
    Forgotten {
        /// The id.
        id: SubmitId,
        /// The number of reports kept.
        kept: usize,
    },
}

/// A command buffer.
#[derive(Debug)]
pub(super) enum Buffer {
    /// In device memory; that many words were checked to be in one arena.
    Device { address: u32, words: u32 },
    /// Words from the host.
    Host(Vec<u32>),
}

/// A submission in the queue.
#[derive(Debug)]
struct Submitted {
    buffer: Buffer,
    /// The last submission that the client had waited for when it submitted this one.
    awaited: u64,
    /// Stops this submission.
    stop: Stop,
}

#[derive(Debug, Default)]
struct State {
    /// Waiting submissions; the last one has number `issued`.
    pending: VecDeque<Submitted>,
    /// Stops the running submission, which no other one overtakes.
    running: Option<Stop>,
    issued: u64,
    /// Reports of the last submissions; the last one has number `completed`.
    reports: VecDeque<Arc<SubmissionReport>>,
    completed: u64,
    worker_sleeps: bool,
    waiters: usize,
    closed: bool,
    /// The worker has ended.
    ended: bool,
}

/// The executor of submissions.
#[derive(Default)]
struct Executor {
    pe: Pe,
    /// A buffer for commands.
    words: Vec<u32>,
}

/// The state that clients and the worker share.
pub(super) struct Queue {
    state: Mutex<State>,
    /// Signals new work to the worker.
    work: Condvar,
    /// Signals that a submission is complete.
    done: Condvar,
    /// Copies of the numbers in `state`, readable without the lock.
    issued: AtomicU64,
    completed: AtomicU64,
    /// The number of the last submission that a client knows to be complete.
    awaited: AtomicU64,
    /// The number of the last submission with an error or a fault.
    failed: AtomicU64,
    /// A copy of `closed`, readable without the lock.
    closing: AtomicBool,
    kept: usize,
    /// The number of polls of the worker and of waiting threads before they sleep.
    spins: u32,
    executor: Mutex<Executor>,
    client: Option<ClientMemory>,
    recorder: Option<Arc<dyn Recorder>>,
    /// The number of the last submission that the recorder has kept.
    recorded: AtomicU64,
    /// Every thread passes this gate before it locks memory, so that a long queue cannot starve the
    /// host.
    gate: Mutex<()>,
    memory: Mutex<Memory>,
}

impl Queue {
    pub(super) fn new(
        memory: Memory,
        client: Option<ClientMemory>,
        kept: usize,
        recorder: Option<Arc<dyn Recorder>>,
    ) -> Queue {
        // On one core, a spinning thread keeps the other from running.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Queue {
            state: Mutex::default(),
            work: Condvar::new(),
            done: Condvar::new(),
            issued: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            awaited: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            kept,
            spins: if cores > 1 { SPINS } else { 0 },
            executor: Mutex::default(),
            client,
            recorder,
            recorded: AtomicU64::new(0),
            gate: Mutex::new(()),
            memory: Mutex::new(memory),
        }
    }

    /// Receives what has an effect on the device.
    pub(super) fn recorder(&self) -> Option<&dyn Recorder> {
        self.recorder.as_deref()
    }

    /// Called before a client learns that the submissions up to this one are complete.
    fn reveal(&self, number: u64) {
        if let Some(recorder) = &self.recorder
            && self.recorded.load(Ordering::Acquire) < number
        {
            let completed = self.completed.load(Ordering::Acquire);
            recorder.keep();
            self.recorded.fetch_max(completed, Ordering::AcqRel);
        }
    }

    /// Locks memory for the host.
    pub(super) fn host_memory(&self) -> MutexGuard<'_, Memory> {
        let memory = self.memory();
        self.reveal(self.completed.load(Ordering::Acquire));
        memory
    }

    /// Locks memory, in turn with the worker and with other threads.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        let _gate = self.gate.lock();
        self.memory.lock()
    }

    /// The system memory that the client shares, if any.
    pub(super) fn client(&self) -> Option<&ClientMemory> {
        self.client.as_ref()
    }

    pub(super) fn submit(&self, buffer: Buffer, context: &Context) -> SubmitId {
        let mut state = self.state.lock();
        let number = NonZeroU64::MIN.saturating_add(state.issued);
        state.issued = number.get();
        let awaited = self.awaited.load(Ordering::Acquire);
        let mut submitted = Submitted { buffer, awaited, stop: Stop::new() };
        self.issued.store(state.issued, Ordering::Release);
        let idle = state.pending.is_empty() && state.running.is_none() && !state.closed;
        if idle && context.engine.is_prompt() {
            state.running = Some(submitted.stop.clone());
            drop(state);
            match self.run_here(submitted, context) {
                None => return SubmitId(number),
                Some(left) => submitted = left,
            }
            state = self.state.lock();
            state.running = None;
            // Those of other threads, which came meanwhile, are later ones.
            state.pending.push_front(submitted);
        } else {
            state.pending.push_back(submitted);
        }
        let worker_sleeps = state.worker_sleeps;
        // The worker takes the lock as soon as it wakes.
        drop(state);
        if worker_sleeps {
            self.work.notify_one();
        }
        SubmitId(number)
    }

    /// Executes a submission in this thread, or returns it if that could take long.
    fn run_here(&self, submitted: Submitted, context: &Context) -> Option<Submitted> {
        let (Some(mut executor), Some(_gate)) = (self.executor.try_lock(), self.gate.try_lock())
        else {
            return Some(submitted);
        };
        let Some(mut memory) = self.memory.try_lock() else { return Some(submitted) };
        // A thread of a pool may take up other work while it waits for the pool, and that could need these.
        let brief = rayon::current_thread_index().is_none()
            && self.commands(&submitted.buffer, &memory).is_some_and(|words| {
                executor.pe.is_brief(&words, &memory, context) && computes_as_usual()
            });
        if !brief {
            return Some(submitted);
        }
        let report = self.execute(&mut executor, &mut memory, &submitted, context);
        drop((executor, memory));
        self.complete(report);
        None
    }

    /// The commands of a buffer, if they are few.
    fn commands<'b>(&self, buffer: &'b Buffer, memory: &Memory) -> Option<Cow<'b, [u32]>> {
        match *buffer {
            Buffer::Host(ref words) => (words.len() <= FEW).then(|| words.as_slice().into()),
            Buffer::Device { address, words } => {
                let mut bytes = vec![0; 4 * usize::try_from(words).ok().filter(|&n| n <= FEW)?];
                if !self.client.as_ref().is_some_and(|client| client.read(address, &mut bytes)) {
                    memory.read(address, &mut bytes).ok()?;
                }
                let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
                Some(words.collect())
            }
        }
    }

    /// The number of submissions so far.
    pub(super) fn issued(&self) -> u64 {
        self.issued.load(Ordering::Acquire)
    }

    /// The number of the last submission that ended with an error or a fault; 0 if none did.
    pub(super) fn last_failed(&self) -> u64 {
        self.failed.load(Ordering::Acquire)
    }

    pub(super) fn consumed(&self, id: SubmitId) -> Option<bool> {
        // Execution is in order, so one number is enough.
        let completed = self.completed.load(Ordering::Acquire);
        if id.get() <= completed {
            self.reveal(id.get());
            self.awaited.fetch_max(id.get(), Ordering::AcqRel);
            return Some(true);
        }
        (id.get() <= self.issued.load(Ordering::Acquire)).then_some(false)
    }

    /// Waits until a submission is complete, or for so long.
    pub(super) fn pause(&self, id: SubmitId, at_most: Duration) {
        let mut state = self.state.lock();
        if (state.completed + 1..=state.issued).contains(&id.get()) && !state.ended {
            state.waiters += 1;
            self.done.wait_for(&mut state, at_most);
            state.waiters -= 1;
        }
    }

    pub(super) fn wait(&self, id: SubmitId) -> Result<Arc<SubmissionReport>, WaitError> {
        // Short submissions end sooner than a sleep and a wake-up would take.
        self.spin(|| self.completed.load(Ordering::Acquire) >= id.get());
        let mut state = self.state.lock();
        if id.get() > state.issued {
            let issued = state.issued;
            return Err(WaitError::Unknown { id, issued });
        }
        while state.completed < id.get() {
            if state.ended {
                return Err(WaitError::Closed { id });
            }
            state.waiters += 1;
            self.done.wait(&mut state);
            state.waiters -= 1;
        }
        let back = usize::try_from(state.completed - id.get()).unwrap_or(usize::MAX);
        let last = state.reports.len();
        let at = last.checked_sub(1).and_then(|last| last.checked_sub(back));
        let report = at.and_then(|at| state.reports.get(at)).cloned();
        // The recorder may write a file: nothing waits for that but this client.
        drop(state);
        self.reveal(id.get());
        self.awaited.fetch_max(id.get(), Ordering::AcqRel);
        report.ok_or(WaitError::Forgotten { id, kept: self.kept })
    }

    /// Stops a running or waiting submission; returns whether it did. `None`: no such submission.
    pub(super) fn cancel(&self, id: SubmitId) -> Option<bool> {
        let state = self.state.lock();
        let after = state.issued.checked_sub(id.get())?;
        if id.get() <= state.completed {
            drop(state);
            self.reveal(id.get());
            return Some(false);
        }
        let back = usize::try_from(after).unwrap_or(usize::MAX);
        let waiting = state.pending.iter().rev().nth(back);
        match waiting.map(|one| &one.stop).or(state.running.as_ref()) {
            Some(stop) => stop.stop(),
            // It was dropped when the device was closed.
            None => return Some(false),
        }
        Some(true)
    }

    /// Stops the running submission and drops the waiting ones.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let mut state = self.state.lock();
        state.closed = true;
        state.pending.clear();
        if let Some(stop) = &state.running {
            stop.stop();
        }
        self.work.notify_one();
    }

    /// Whether the device is being closed.
    #[cfg(test)]
    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Whether a thread is waiting for memory and will get it next.
    #[cfg(test)]
    pub(super) fn is_awaited(&self) -> bool {
        self.gate.is_locked()
    }

    /// Polls `ready` for a while; returns `true` as soon as it does.
    fn spin(&self, ready: impl Fn() -> bool) -> bool {
        (0..self.spins).any(|_| {
            let done = ready();
            std::hint::spin_loop();
            done
        })
    }

    /// The worker: executes submissions until the queue is closed.
    pub(super) fn run(&self, context: &Context) {
        while let Some(submitted) = self.next() {
            let mut executor = self.executor.lock();
            let report = self.execute(&mut executor, &mut self.memory(), &submitted, context);
            drop(executor);
            self.complete(report);
        }
        let mut state = self.state.lock();
        state.ended = true;
        self.done.notify_all();
    }

    /// Waits for the next submission. `None`: closed.
    fn next(&self) -> Option<Submitted> {
        // A client that waits for each submission soon makes the next one.
        self.spin(|| {
            self.issued.load(Ordering::Acquire) > self.completed.load(Ordering::Acquire)
                || self.closing.load(Ordering::Relaxed)
        });
        let mut state = self.state.lock();
        loop {
            if state.closed && state.running.is_none() {
                return None;
            }
            if state.running.is_none()
                && let Some(submitted) = state.pending.pop_front()
            {
                state.running = Some(submitted.stop.clone());
                return Some(submitted);
            }
            if self.recorder.is_some() {
                // Nothing waits for the worker, so that the file falls behind only while submissions run.
                MutexGuard::unlocked(&mut state, || {
                    self.reveal(self.completed.load(Ordering::Acquire));
                });
                if state.running.is_none() && (state.closed || !state.pending.is_empty()) {
                    continue;
                }
            }
            state.worker_sleeps = true;
            self.work.wait(&mut state);
            state.worker_sleeps = false;
        }
    }

    /// Executes a submission, with all of its panics.
    fn execute(
        &self,
        executor: &mut Executor,
        memory: &mut Memory,
        submitted: &Submitted,
        context: &Context,
    ) -> SubmissionReport {
        let context = Context { progress: &submitted.stop, ..*context };
        let run = || self.recorded(executor, memory, submitted, &context);
        // The engine's panics are caught inside. Any other one must not leave a client waiting.
        panics::catch(run).unwrap_or_else(|panic| panicked(&context, panic))
    }

    fn recorded(
        &self,
        Executor { pe, words: scratch }: &mut Executor,
        memory: &mut Memory,
        Submitted { buffer, awaited, .. }: &Submitted,
        context: &Context,
    ) -> SubmissionReport {
        let run = || match buffer {
            Buffer::Host(words) => pe.execute_queued(words, memory, context, *awaited),
            Buffer::Device { address, words } => {
                // A launch may overwrite the buffer, so it is read once, at the beginning.
                scratch.clear();
                if let Some(client) = &self.client {
                    let start = u64::from(*address);
                    let range = start..start + 4 * u64::from(*words);
                    client.fetch(memory, std::slice::from_ref(&range), 0);
                }
                let bytes = usize::try_from(u64::from(*words) * 4).unwrap_or(usize::MAX);
                let bytes = memory.slice(*address, bytes).unwrap_or_default();
                scratch.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
                pe.execute_queued(scratch, memory, context, *awaited)
            }
        };
        let mut report = panics::catch(run).unwrap_or_else(|panic| panicked(context, panic));
        if let Some(recorder) = &self.recorder {
            recorder.submitted(Recorded {
                words: match buffer {
                    Buffer::Host(words) => words,
                    Buffer::Device { .. } => scratch,
                },
                awaited: *awaited,
                fetched: self.client.as_ref().map(ClientMemory::take_fetched).unwrap_or_default(),
                report: &report,
                memory,
            });
            report.written = Vec::new();
            report.ran = Vec::new();
        }
        if scratch.capacity() > MAX_SCRATCH {
            *scratch = Vec::new();
        }
        report
    }

    fn complete(&self, report: SubmissionReport) {
        let mut state = self.state.lock();
        state.completed += 1;
        state.running = None;
        if !report.is_clean() {
            self.failed.store(state.completed, Ordering::Release);
        }
        if state.reports.len() >= self.kept {
            state.reports.pop_front();
        }
        state.reports.push_back(Arc::new(report));
        self.completed.store(state.completed, Ordering::Release);
        if state.waiters > 0 {
            self.done.notify_all();
        }
        let wanted = state.closed || self.recorder.is_some() || !state.pending.is_empty();
        if state.worker_sleeps && wanted {
            self.work.notify_one();
        }
    }
}

/// The report of a submission that ended with a panic.
fn panicked(context: &Context, panic: Panic) -> SubmissionReport {
    let error = Some(DeviceError::Panic { engine: context.engine.name(), panic });
    SubmissionReport { error, ..SubmissionReport::default() }
}

/// Some tens of microseconds. That is longer than a short submission and than the pause between two
/// of them, and about the cost of a sleep and a wake-up.
const SPINS: u32 = 2000;

/// The most words of a submission that may run in the thread that submits it.
const FEW: usize = 1024;

/// Whether this thread's arithmetic rounds to nearest, keeps denormals and traps nothing: a client can set
/// its own threads to something else.
#[cfg(target_arch = "x86_64")]
fn computes_as_usual() -> bool {
    let mut mxcsr = 0u32;
    // SAFETY: it writes `mxcsr`. Without it every small submission waits for another thread, which takes
    // ten times as long.
    unsafe {
        let to = &raw mut mxcsr;
        std::arch::asm!("stmxcsr [{to}]", to = in(reg) to, options(nostack, preserves_flags));
    }
    mxcsr & !0x3f == 0x1f80
}

/// As above, as far as results show it.
#[cfg(not(target_arch = "x86_64"))]
fn computes_as_usual() -> bool {
    let of = |x: f32| std::hint::black_box(x);
    let (half, ulp) = (of(f32::MIN_POSITIVE) / 2.0, f32::EPSILON);
    half != 0.0
        && of(f32::from_bits(1)) * 2.0 != 0.0
        && of(1.0) + 0.25 * ulp == 1.0
        && of(1.0) + 0.75 * ulp == 1.0 + ulp
        && of(-1.0) - 0.25 * ulp == -1.0
}

/// The worker keeps a buffer of at most this many words between submissions.
const MAX_SCRATCH: usize = 1 << 18;
