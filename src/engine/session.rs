//! Several launches on one memory, one after the other.
//!
//! An engine with memory of its own, such as a GPU, may queue the launches of a session and leave
//! their results where they are until the host looks at them. For the others a launch of a session
//! is a run like any other.

use super::{Engine, LaunchError, Outcome, Progress};
use crate::launch::Launch;
use crate::memory::Memory;
use std::ops::Range;

/// An engine at work on one memory; see [`Engine::session`].
///
/// Launches take effect in order, each after all effects of the one before; so does what the host
/// writes between them. Dropping a session waits for its launches and brings the host's memory up
/// to date; to be told what goes wrong then, call [`Session::memory`] first.
///
/// When a queued launch fails, which only an engine with memory of its own can do (its device is
/// lost, say), it and all launches behind it have written nothing that stays: the host's memory is
/// as it was when it was last up to date.
pub trait Session<'a> {
    /// Runs a launch, or queues it: its outcome comes from [`Session::outcomes`]. A queued launch
    /// may tell its progress after this call.
    ///
    /// # Errors
    /// When the launch cannot be run at all, as [`Engine::run`] tells at once too; it is then not
    /// queued, and those before it are not concerned.
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError>;

    /// The outcomes of all launches since the last call, in order. Waits for them. Memory stays
    /// where it is. At an error, those behind it are missing.
    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>>;

    /// Whether the host's bytes of a range of addresses are up to date. Does not wait.
    fn is_current(&self, range: &Range<u64>) -> bool;

    /// Memory to read, with the bytes of the given ranges of addresses up to date; others may be
    /// old. Waits for launches that write there.
    ///
    /// # Errors
    /// When a launch failed, or its results could not be had.
    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError>;

    /// All of memory, up to date. Waits for all launches.
    ///
    /// # Errors
    /// When a launch failed, or its results could not be had.
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
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        let outcome = self.engine.run(launch, self.memory, progress)?;
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
