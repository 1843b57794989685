//! The engines that this process has opened, and its threads.

use crate::error::Fail;
use ctm::engine::{self, Engine};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The engines that a process has opened. A child of a fork has no threads and no adapters: it
/// opens its own.
#[derive(Default)]
struct Opened {
    process: u32,
    engines: HashMap<(String, Option<String>), Arc<dyn Engine>>,
    threads: Option<Arc<rayon::ThreadPool>>,
}

static OPENED: LazyLock<Mutex<Opened>> = LazyLock::new(Mutex::default);

fn opened<T>(with: impl FnOnce(&mut Opened) -> T) -> T {
    let mut opened = OPENED.lock();
    let process = std::process::id();
    if opened.process != process {
        // What the parent opened belongs to threads that do not exist here: it must not be dropped.
        std::mem::forget(std::mem::take(&mut *opened));
        opened.process = process;
    }
    with(&mut opened)
}

/// The engine with this name; opens it the first time.
pub fn open(name: &str, adapter: Option<&str>) -> Result<Arc<dyn Engine>, Fail> {
    let key = (name.to_string(), adapter.map(str::to_string));
    if let Some(engine) = opened(|opened| opened.engines.get(&key).cloned()) {
        return Ok(engine);
    }
    let engine: Arc<dyn Engine> = engine::open(name, adapter, |_| {})?.into();
    opened(|opened| opened.engines.insert(key, engine.clone()));
    Ok(engine)
}

/// The threads of this process: one for each processor, or RAYON_NUM_THREADS.
pub fn threads() -> Result<Arc<rayon::ThreadPool>, Fail> {
    opened(|opened| {
        if let Some(threads) = &opened.threads {
            return Ok(threads.clone());
        }
        let threads = rayon::ThreadPoolBuilder::new()
            .thread_name(|n| format!("ctm-{n}"))
            .build()
            .map_err(|error| Fail::new(format!("cannot start threads: {error}")))?;
        Ok(opened.threads.insert(Arc::new(threads)).clone())
    })
}
