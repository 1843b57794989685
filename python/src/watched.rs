//! Work without the interpreter's lock, which Ctrl-C stops.

use crate::engines;
use crate::error::Fail;
use ctm::engine::Stop;
use ctm::panics;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The interval at which a wait looks for signals.
const LOOK: Duration = Duration::from_millis(20);

/// A message of a worker to the thread that waits for it.
enum Message<T> {
    Progress(u64, u64),
    Done(T),
}

/// Runs `work` on the threads of this process, while this thread waits for signals. `work` gets what
/// stops it, and a call for its progress, which `progress` receives here. An exception of a signal
/// handler or of `progress` stops the work. A panic of the work is a `ctm.Error`.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Stop, &(dyn Fn(u64, u64) + Sync)) -> T + Send,
) -> PyResult<T> {
    let threads = engines::threads()?;
    let stop = Stop::new();
    py.detach(|| {
        let (sender, receiver) = channel();
        let mut error = None;
        let stop = &stop;
        let result = threads.in_place_scope(|scope| {
            let wanted = progress.is_some();
            scope.spawn(move |_| {
                let told = |done, total| {
                    if wanted {
                        // The receiver exists until the work is done.
                        let _ = sender.send(Message::Progress(done, total));
                    }
                };
                let result = panics::catch(|| work(stop, &told));
                let _ = sender.send(Message::Done(result));
            });
            loop {
                let failed = match receiver.recv_timeout(LOOK) {
                    Ok(Message::Done(result)) => break Some(result),
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Ok(Message::Progress(done, total)) => match progress {
                        Some(progress) if error.is_none() => {
                            Python::attach(|py| progress.call1(py, (done, total)).map(drop))
                        }
                        _ => Ok(()),
                    },
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                };
                if let Err(why) = failed {
                    stop.stop();
                    error.get_or_insert(why);
                }
            }
        });
        match (error, result) {
            (Some(error), _) => Err(error),
            (None, Some(result)) => Ok(result.map_err(|panic| Fail::new(panic.to_string()))?),
            (None, None) => unreachable!("work sends its result"),
        }
    })
}
