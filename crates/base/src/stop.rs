//! Stopping work early: on demand, or at a time limit.
//!
//! A caller that wants to end something sets its [`Stop`]. Everything that may take long carries one through all
//! layers and checks it: what compiles and loads, in its loops; engines, between groups, slices and dispatches.

use crate::clock::Instant;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The cause of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The caller stopped it.
    #[error("cancelled")]
    Cancelled,
    /// It took longer than its time limit.
    #[error("stopped by the time limit of {} s", .0.as_secs_f64())]
    Timeout(Duration),
}

/// A request to stop: a flag that its clones share, and perhaps a time limit.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    /// The time at which it stops automatically, and the limit that set this time.
    deadline: Option<(Instant, Duration)>,
}

impl Stop {
    /// A stop that has not been requested.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// A stop that shares a flag with others, such as a signal handler: `true` stops.
    pub fn on(flag: Arc<AtomicBool>) -> Stop {
        Stop { flag, deadline: None }
    }

    /// A stop that is never requested.
    pub fn never() -> &'static Stop {
        static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);
        &NEVER
    }

    /// A stop with the same flag that is also requested automatically once `limit` has passed from
    /// now.
    pub fn with_limit(&self, limit: Duration) -> Stop {
        Stop {
            flag: Arc::clone(&self.flag),
            // A limit beyond the clock's range is no limit.
            deadline: Instant::now().checked_add(limit).map(|at| (at, limit)),
        }
    }

    /// A stop with the same flag, and with this time limit if there is one.
    pub fn within(&self, limit: Option<Duration>) -> Stop {
        limit.map_or_else(|| self.clone(), |limit| self.with_limit(limit))
    }

    /// Stops everything that checks this stop, or one with the same flag.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether to continue. Without a limit this is one load.
    ///
    /// # Errors
    /// The work must stop.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.flag.load(Ordering::Relaxed) {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some((at, limit)) if Instant::now() >= at => Err(Stopped::Timeout(limit)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_shared_and_a_limit_is_not() {
        let stop = Stop::new();
        let (late, soon) = (stop.with_limit(Duration::MAX), stop.with_limit(Duration::ZERO));
        assert_eq!((stop.check(), late.check()), (Ok(()), Ok(())));
        assert_eq!(soon.check(), Err(Stopped::Timeout(Duration::ZERO)));
        late.stop();
        for stop in [&stop, &late, &soon] {
            assert_eq!(stop.check(), Err(Stopped::Cancelled));
        }
        assert_eq!(Stop::never().check(), Ok(()));
    }

    #[test]
    fn reasons_are_said_in_words() {
        assert_eq!(Stopped::Cancelled.to_string(), "cancelled");
        assert_eq!(
            Stopped::Timeout(Duration::from_millis(1500)).to_string(),
            "stopped by the time limit of 1.5 s"
        );
    }
}
