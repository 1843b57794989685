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
    Ok(beside(py, progress, work, |_| Ok(()))?.0)
}

/// [`watched`], while this thread does work of its own with the interpreter's lock. An error of either stops both.
pub fn beside<T: Send, U: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Stop, &(dyn Fn(u64, u64) + Sync)) -> T + Send,
    own: impl FnOnce(Python<'_>) -> PyResult<U> + Send,
) -> PyResult<(T, U)> {
    let threads = engines::threads()?;
    let stop = Stop::new();
    py.detach(|| {
        let (sender, receiver) = channel();
        let stop = &stop;
        let (own, result) = threads.in_place_scope(|scope| {
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
            let mut own = Python::attach(own);
            if own.is_err() {
                stop.stop();
            }
            let result = loop {
                let failed = match receiver.recv_timeout(LOOK) {
                    Ok(Message::Done(result)) => break Some(result),
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Ok(Message::Progress(done, total)) => match progress {
                        Some(progress) if own.is_ok() => {
                            Python::attach(|py| progress.call1(py, (done, total)).map(drop))
                        }
                        _ => Ok(()),
                    },
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                };
                if let Err(why) = failed {
                    stop.stop();
                    own = own.and(Err(why));
                }
            };
            (own, result)
        });
        match (own, result) {
            (Err(error), _) => Err(error),
            (Ok(own), Some(Ok(result))) => Ok((result, own)),
            (Ok(_), Some(Err(panic))) => Err(Fail::new(panic.to_string()).into()),
            (Ok(_), None) => unreachable!("work sends its result"),
        }
    })
}
