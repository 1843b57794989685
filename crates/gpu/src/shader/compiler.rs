//! Decides which programs get a shader, and compiles shaders on a thread while the interpreter
//! runs.

use crate::device::connection::Gpu;
use crate::shader::compiled::{Entry, Job, Shader, Shaders};
use crate::shader::translator::Target;
use ctm_base::panics;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::Why;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fmt;
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

struct Inner {
    shaders: Shaders,
    queue: VecDeque<Job>,
    worker: Option<JoinHandle<()>>,
    /// The engine is being dropped.
    stop: bool,
    /// The number of shaders that were compiled.
    compiled: u64,
}

struct WorkQueue {
    inner: Mutex<Inner>,
    /// Notified when an entry is done, when there is a job, and when to stop.
    changed: Condvar,
}

impl WorkQueue {
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
                drop(inner);
                self.done(&job, None);
                continue;
            }
            inner.shaders.insert(&job, Entry::Compiling);
            drop(inner);
            let shader = match panics::catch(|| job.compile(gpu, cache)) {
                Ok(Ok(shader)) => Some(shader),
                Ok(Err(error @ GpuError::Shader { .. })) => Some(Err(not_compiled(error))),
                // The error does not concern the program. The next launch shows whether the device
                // still works.
                Ok(Err(_)) => None,
                Err(panic) => Some(Err(not_compiled(panic))),
            };
            self.done(&job, shader);
        }
    }

    /// Keeps a shader, or forgets that it was requested.
    fn done(&self, job: &Job, shader: Option<Shader>) {
        let mut inner = self.inner.lock();
        match shader {
            Some(shader) => {
                inner.compiled += u64::from(shader.is_ok());
                inner.shaders.insert(job, Entry::Done(shader));
            }
            None => inner.shaders.remove(&job.key),
        }
        drop(inner);
        self.changed.notify_all();
    }
}

/// A shader that compiles. Dropping this keeps it, or forgets that it was requested.
struct Compiling<'a> {
    shared: &'a WorkQueue,
    job: &'a Job,
    shader: Option<Shader>,
}

impl Drop for Compiling<'_> {
    fn drop(&mut self) {
        self.shared.done(self.job, self.shader.take());
    }
}

/// The shaders of one device.
pub(crate) struct Compiler {
    shared: Arc<WorkQueue>,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler {
            shared: Arc::new(WorkQueue {
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
    /// If the adapter fails to compile it.
    pub(crate) fn now(&self, target: &Target, job: &Job) -> Result<Shader, GpuError> {
        let mut inner = self.shared.inner.lock();
        loop {
            match inner.shaders.get(&job.key) {
                Some(Entry::Done(shader)) => return Ok(shader.clone()),
                Some(Entry::Compiling) => self.shared.changed.wait(&mut inner),
                Some(Entry::Queued) => {
                    // Compiling it here is faster than waiting for the queue.
                    inner.queue.retain(|queued| queued.key != job.key);
                    break;
                }
                None => break,
            }
        }
        inner.shaders.insert(job, Entry::Compiling);
        drop(inner);
        // After an error or a panic the waiting callers try again themselves.
        let mut compiling = Compiling { shared: &self.shared, job, shader: None };
        let shader = job.compile(target.gpu, target.cache)?;
        compiling.shader = Some(shader.clone());
        Ok(shader)
    }

    /// As [`now`](Self::now), with the reason for the interpreter if the adapter rejects the shader.
    ///
    /// # Errors
    /// A lost device.
    pub(crate) fn waited(&self, target: &Target, job: &Job) -> Result<Shader, GpuError> {
        match self.now(target, job) {
            Err(error) if !error.is_lost() => Ok(Err(not_compiled(error))),
            made => made,
        }
    }

    /// The shader if it is there. If not, the thread compiles it in the background.
    pub(crate) fn background(&self, target: &Target, job: Job) -> Shader {
        let mut inner = self.shared.inner.lock();
        match inner.shaders.get(&job.key) {
            Some(Entry::Done(shader)) => return shader.clone(),
            Some(Entry::Queued | Entry::Compiling) => return Err(compiling()),
            None => {}
        }
        if inner.worker.is_none() {
            let shared = Arc::clone(&self.shared);
            let (gpu, cache) = (target.gpu.clone(), target.cache.cloned());
            let worker = std::thread::Builder::new()
                .name("ctm-translate".into())
                .spawn(move || shared.work(&gpu, cache.as_ref()));
            match worker {
                Ok(worker) => inner.worker = Some(worker),
                Err(error) => {
                    let why = format!("there is no thread to compile it: {error}");
                    return Err(not_compiled(why));
                }
            }
        }
        inner.shaders.insert(&job, Entry::Queued);
        inner.queue.push_back(job);
        drop(inner);
        self.shared.changed.notify_all();
        Err(compiling())
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
