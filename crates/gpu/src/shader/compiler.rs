//! Decides which programs get a shader, and compiles shaders on a thread while the interpreter
//! runs.

use crate::device::connection::Gpu;
use crate::shader::compiled::{self, Entry, Key, Shader, Shaders};
use ctm_lang::program::Program;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::Why;
use ctm_machine::engine::estimate::{Costs, Estimate, Tier, length};
use ctm_shade::abi::encode::Ready;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The most shaders that are kept.
const KEPT: usize = 1024;

/// The adapter rejected a shader.
fn not_compiled(error: impl fmt::Display) -> Why {
    Why::new("compiler error", format!("its shader could not be compiled: {error}"))
}

/// A thread is compiling a shader for later launches.
fn compiling() -> Why {
    Why::new("compiling", "its shader is being compiled meanwhile")
}

/// A shader that waits for the thread to compile it.
struct Job {
    key: Key,
    program: Arc<Program>,
    ready: Arc<Ready>,
}

struct Inner {
    shaders: Shaders,
    queue: VecDeque<Job>,
    worker: Option<JoinHandle<()>>,
    /// The engine is being dropped.
    stop: bool,
    /// The number of shaders that were compiled.
    compiled: u64,
}

struct Shared {
    inner: Mutex<Inner>,
    /// Notified when an entry is done, when there is a job, and when to stop.
    changed: Condvar,
}

impl Shared {
    /// The thread's body: compiles queued shaders until the engine is dropped.
    fn work(&self, gpu: &Gpu, cache: Option<&wgpu::PipelineCache>) {
        loop {
            let mut inner = self.inner.lock();
            let job = loop {
                if inner.stop {
                    return;
                }
                match inner.queue.pop_front() {
                    Some(job) => break job,
                    None => self.changed.wait(&mut inner),
                }
            };
            if Arc::strong_count(&job.program) == 1 {
                // The program has been dropped, so it cannot be launched again.
                inner.shaders.remove(&job.key);
                drop(inner);
                self.changed.notify_all();
                continue;
            }
            let Job { key, program, ready } = job;
            let entry = Entry::Compiling;
            inner.shaders.insert(key.clone(), &program, &ready, entry);
            drop(inner);
            let made = catch_unwind(AssertUnwindSafe(|| {
                compiled::compile(gpu, cache, &program, &ready, &key.1)
            }));
            let shader = match made {
                Ok(Ok(shader)) => Some(shader),
                Ok(Err(error @ GpuError::Shader { .. })) => Some(Err(not_compiled(error))),
                // The error does not concern the program. The next launch shows whether the device
                // still works.
                Ok(Err(_)) => None,
                Err(_) => Some(Err(not_compiled("the compiler crashed"))),
            };
            let mut inner = self.inner.lock();
            match shader {
                Some(shader) => {
                    inner.compiled += u64::from(shader.is_ok());
                    let entry = Entry::Done(shader);
                    inner.shaders.insert(key, &program, &ready, entry);
                }
                None => inner.shaders.remove(&key),
            }
            drop(inner);
            self.changed.notify_all();
        }
    }
}

/// A program in a state, on an adapter.
pub(crate) struct Request<'a> {
    pub gpu: &'a Gpu,
    pub cache: Option<&'a wgpu::PipelineCache>,
    pub program: &'a Arc<Program>,
    pub ready: &'a Arc<Ready>,
    pub key: Key,
}

impl Request<'_> {
    fn compile(&self) -> Result<Shader, GpuError> {
        compiled::compile(self.gpu, self.cache, self.program, self.ready, &self.key.1)
    }
}

/// The shaders of one device.
pub(crate) struct Compiler {
    shared: Arc<Shared>,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler {
            shared: Arc::new(Shared {
                inner: Mutex::new(Inner {
                    shaders: Shaders::new(KEPT),
                    queue: VecDeque::new(),
                    worker: None,
                    stop: false,
                    compiled: 0,
                }),
                changed: Condvar::new(),
            }),
        }
    }
}

impl Compiler {
    /// The shader, compiled now if it is not there. If another thread is compiling it, waits for
    /// that thread.
    ///
    /// # Errors
    /// When the adapter fails to compile it.
    pub(crate) fn now(&self, request: Request<'_>) -> Result<Shader, GpuError> {
        let mut inner = self.shared.inner.lock();
        loop {
            match inner.shaders.get(&request.key) {
                Some(Entry::Done(shader)) => return Ok(shader.clone()),
                Some(Entry::Compiling) => self.shared.changed.wait(&mut inner),
                Some(Entry::Queued) => {
                    // Compiling it here is faster than waiting for the queue.
                    inner.queue.retain(|job| job.key != request.key);
                    break;
                }
                Some(Entry::Interpreted(_)) | None => break,
            }
        }
        let entry = Entry::Compiling;
        inner.shaders.insert(request.key.clone(), request.program, request.ready, entry);
        drop(inner);
        let made = catch_unwind(AssertUnwindSafe(|| request.compile()));
        let mut inner = self.shared.inner.lock();
        match &made {
            Ok(Ok(shader)) => {
                inner.compiled += u64::from(shader.is_ok());
                let entry = Entry::Done(shader.clone());
                let Request { program, ready, .. } = request;
                inner.shaders.insert(request.key, program, ready, entry);
            }
            // The waiting callers try again themselves.
            Ok(Err(_)) | Err(_) => inner.shaders.remove(&request.key),
        }
        drop(inner);
        self.shared.changed.notify_all();
        made.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// The shader, if it is there or worth waiting for. If it is only worth compiling, the thread
    /// compiles it in the background. `waits`: always wait for the shader.
    ///
    /// # Errors
    /// A lost device. After other errors the interpreter runs the launch.
    pub(crate) fn by_costs(
        &self,
        request: Request<'_>,
        estimate: &Estimate,
        costs: &Costs,
        waits: bool,
    ) -> Result<Shader, GpuError> {
        let mut inner = self.shared.inner.lock();
        let (before, queued) = match inner.shaders.get(&request.key) {
            Some(Entry::Done(shader)) => return Ok(shader.clone()),
            Some(Entry::Interpreted(work)) => (*work, false),
            Some(Entry::Queued | Entry::Compiling) => (0, true),
            None => (0, false),
        };
        let work = estimate.work();
        let tier = costs.tier(work, before, length(&request.ready.lowered));
        if waits || tier == Tier::Wait {
            drop(inner);
            return match self.now(request) {
                Err(error) if !error.is_lost() => Ok(Err(not_compiled(error))),
                made => made,
            };
        }
        if queued {
            return Ok(Err(compiling()));
        }
        if tier == Tier::Interpreter {
            let entry = Entry::Interpreted(before.saturating_add(work));
            let Request { program, ready, .. } = request;
            inner.shaders.insert(request.key, program, ready, entry);
            let reason = format!("{estimate}, not worth a shader of their own so far");
            return Ok(Err(Why::new(Why::SMALL, reason)));
        }
        if inner.worker.is_none() {
            let shared = Arc::clone(&self.shared);
            let (gpu, cache) = (request.gpu.clone(), request.cache.cloned());
            let worker = std::thread::Builder::new()
                .name("ctm-translate".into())
                .spawn(move || shared.work(&gpu, cache.as_ref()));
            match worker {
                Ok(worker) => inner.worker = Some(worker),
                Err(error) => {
                    let why = format!("there is no thread to compile it: {error}");
                    return Ok(Err(not_compiled(why)));
                }
            }
        }
        let Request { program, ready, .. } = request;
        let entry = Entry::Queued;
        inner.shaders.insert(request.key.clone(), program, ready, entry);
        inner.queue.push_back(Job {
            key: request.key,
            program: Arc::clone(request.program),
            ready: Arc::clone(request.ready),
        });
        drop(inner);
        self.shared.changed.notify_all();
        Ok(Err(compiling()))
    }

    /// Waits until nothing is queued and nothing compiles.
    pub(crate) fn settle(&self) {
        let mut inner = self.shared.inner.lock();
        while inner.worker.is_some() && inner.shaders.is_busy() {
            self.shared.changed.wait(&mut inner);
        }
    }

    /// The number of shaders compiled so far.
    pub(crate) fn compiled(&self) -> u64 {
        self.shared.inner.lock().compiled
    }
}

impl Drop for Compiler {
    /// Drops queued jobs and waits for the running one: a driver must not be interrupted by the end
    /// of the process.
    fn drop(&mut self) {
        let mut inner = self.shared.inner.lock();
        inner.stop = true;
        inner.queue.clear();
        let worker = inner.worker.take();
        drop(inner);
        self.shared.changed.notify_all();
        if let Some(worker) = worker {
            // The thread catches its panics.
            let _ = worker.join();
        }
    }
}
