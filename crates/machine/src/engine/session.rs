//! Several launches on one memory, one after the other.
//!
//! An engine with its own memory, such as a GPU, may queue the launches of a session and keep their
//! results until the host reads them. For other engines a launch of a session is an ordinary run.

use super::{Checked, Engine, LaunchError, Outcome, Progress};
use crate::launch::Launch;
use crate::memory::Memory;
use std::ops::Range;
use std::time::Duration;

/// The time that a session has spent on other things than running launches, and the time of its GPU. The time of a
/// driver that compiles a shader at its first dispatch, as Mesa's lavapipe does, is not known and not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Making and compiling shaders, and waiting for the probe of an adapter.
    pub compile: Duration,
    /// Bringing the host's bytes to the GPU.
    pub upload: Duration,
    /// Bringing results to the host, after they were computed.
    pub readback: Duration,
    /// The GPU's work on launches that have ended, by its own clock. `None`: none was done, or nothing measured it.
    pub gpu: Option<Duration>,
}

impl Spent {
    /// The sum of all that is not running launches.
    pub fn total(&self) -> Duration {
        self.compile + self.upload + self.readback
    }
}

/// A sequence of launches by an engine on one memory; see [`Engine::session`].
///
/// Launches take effect in order: each sees all effects of the one before. So do the host's writes
/// between them. Dropping a session waits for its launches and brings the host's memory up to date.
/// To see the errors of that step, call [`Session::memory`] first.
///
/// A queued launch can fail, for example when the device is lost. Only an engine with its own
/// memory queues launches. The failed launch and all launches after it then leave nothing written:
/// the host's memory is as it was when it was last up to date.
pub trait Session<'a> {
    /// Checks a launch, and runs or queues it; [`Session::outcomes`] returns its outcome. A queued
    /// launch may report progress after this call.
    ///
    /// # Errors
    /// If the launch cannot be run, under the same conditions as [`Engine::run`]. It is then not
    /// queued. Earlier launches are not affected.
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        self.launch_checked(&Checked::new(launch)?, progress)
    }

    /// Runs or queues a launch that was checked. A launch can be passed several times.
    ///
    /// # Errors
    /// As [`launch`](Session::launch).
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        progress: &'a dyn Progress,
    ) -> Result<(), LaunchError>;

    /// The outcomes of all launches since the last call, in order. Waits for them. Does not copy
    /// memory back. After an error, the outcomes of later launches are missing.
    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>>;

    /// The time spent so far on other things than running launches, and by a GPU: none, for an engine that runs
    /// programs as they are on the host's memory.
    fn spent(&self) -> Spent {
        Spent::default()
    }

    /// Whether the host's bytes in an address range are up to date. Does not wait.
    fn is_current(&self, range: &Range<u64>) -> bool;

    /// Memory for reading. The bytes in the given address ranges are up to date; others may be old.
    /// Waits for launches that write to these ranges.
    ///
    /// # Errors
    /// If a launch failed, or its results could not be read back.
    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError>;

    /// All of memory, up to date. Waits for all launches.
    ///
    /// # Errors
    /// If a launch failed, or its results could not be read back.
    fn memory(&mut self) -> Result<&mut Memory, LaunchError>;
}

/// A session of an engine that works on the host's memory: nothing is queued.
pub(super) struct Immediate<'a, E: ?Sized> {
    engine: &'a E,
    memory: &'a mut Memory,
    outcomes: Vec<Result<Outcome, LaunchError>>,
}

impl<'a, E: Engine + ?Sized> Immediate<'a, E> {
    pub(super) fn new(engine: &'a E, memory: &'a mut Memory) -> Immediate<'a, E> {
        Immediate { engine, memory, outcomes: Vec::new() }
    }
}

impl<'a, E: Engine + ?Sized> Session<'a> for Immediate<'a, E> {
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        progress: &'a dyn Progress,
    ) -> Result<(), LaunchError> {
        let outcome = self.engine.run_checked(launch, self.memory, progress)?;
        self.outcomes.push(Ok(outcome));
        Ok(())
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        std::mem::take(&mut self.outcomes)
    }

    fn is_current(&self, _range: &Range<u64>) -> bool {
        true
    }

    fn view(&mut self, _ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        Ok(&*self.memory)
    }

    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        Ok(&mut *self.memory)
    }
}
