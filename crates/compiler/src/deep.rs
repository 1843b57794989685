//! Work on a thread with a large stack, which can be abandoned: naga's parser is recursive, and nothing
//! stops it.

use ctm_base::stop::{Stop, Stopped};
use std::io;

/// Failures of work on a thread of its own.
#[derive(Debug)]
pub enum Failure {
    /// It was stopped.
    Stopped(Stopped),
    /// There is no thread to run it on.
    Thread(io::Error),
}

impl From<Stopped> for Failure {
    fn from(why: Stopped) -> Failure {
        Failure::Stopped(why)
    }
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use thread::on_stack;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
mod thread {
    use super::{Failure, Stop, Stopped, io};
    use std::sync::mpsc::{RecvTimeoutError, sync_channel};
    use std::sync::{Condvar, Mutex, PoisonError};
    use std::thread::Builder;
    use std::time::Duration;

    /// Most threads at once. It bounds the memory of abandoned ones.
    const MOST: usize = 64;

    /// The interval at which a waiting caller looks at its stop.
    const LOOK: Duration = Duration::from_millis(10);

    /// The threads that run.
    static RUNNING: Mutex<usize> = Mutex::new(0);
    /// One has ended.
    static ENDED: Condvar = Condvar::new();

    /// One of the threads that may run at once.
    struct Permit;

    impl Permit {
        /// Waits until there is one.
        fn take(stop: &Stop) -> Result<Permit, Stopped> {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            while *running >= MOST {
                stop.check()?;
                let waited = ENDED.wait_timeout(running, LOOK);
                running = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            *running += 1;
            Ok(Permit)
        }
    }

    impl Drop for Permit {
        fn drop(&mut self) {
            *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            ENDED.notify_one();
        }
    }

    /// Runs `work` on a thread with a stack of `bytes`. When `stop` is requested, the caller goes on and leaves the thread
    /// behind; the stop that `work` receives is then requested, too, so that the thread ends at its next check.
    ///
    /// # Errors
    /// It was stopped, or there is no thread to run it on.
    pub fn on_stack<T: Send + 'static>(
        bytes: usize,
        stop: &Stop,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        stop.check()?;
        let place = Permit::take(stop)?;
        let (sender, receiver) = sync_channel(1);
        let left = Stop::new();
        let seen = left.clone();
        let thread = Builder::new().name("compile".into()).stack_size(bytes);
        let spawned = thread.spawn(move || {
            let done = work(&seen);
            // A caller that waits for a place finds it free when this has ended.
            drop(place);
            let _ = sender.send(done);
        });
        spawned.map_err(Failure::Thread)?;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) => {
                    stop.check().inspect_err(|_| left.stop())?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Thread(io::Error::other("it ended without a result")));
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn work_that_does_not_end_is_left_behind_and_told() {
            let stop = Stop::new().with_limit(Duration::from_millis(20));
            let (sender, receiver) = sync_channel(1);
            let endless = move |left: &Stop| {
                while left.check().is_ok() {
                    std::thread::yield_now();
                }
                let _ = sender.send(());
            };
            let done = on_stack(1 << 16, &stop, endless);
            assert!(matches!(done, Err(Failure::Stopped(Stopped::Timeout(_)))), "{done:?}");
            receiver.recv().expect("it ends");
        }

        #[test]
        fn a_caller_waits_for_a_place_no_longer_than_it_may() {
            let (release, released) = sync_channel::<()>(0);
            let released = std::sync::Arc::new(Mutex::new(released));
            let soon = || Stop::new().with_limit(Duration::from_millis(50));
            // More than there are places: all are taken by work that was left behind.
            for _ in 0..=MOST {
                let released = released.clone();
                let waits = move |_: &Stop| {
                    let _ = released.lock().map(|released| released.recv());
                };
                let done = on_stack(1 << 16, &soon(), waits);
                assert!(matches!(done, Err(Failure::Stopped(_))), "{done:?}");
            }
            drop(release);
            let done = on_stack(1 << 16, Stop::never(), |_| 3);
            assert!(matches!(done, Ok(3)), "{done:?}");
        }
    }
}

/// Runs `work`. A browser has no such thread; where its stack ends, it ends the module, which the page survives.
///
/// # Errors
/// It was stopped before it began.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn on_stack<T>(
    _bytes: usize,
    stop: &Stop,
    work: impl FnOnce(&Stop) -> T,
) -> Result<T, Failure> {
    stop.check()?;
    Ok(work(stop))
}
