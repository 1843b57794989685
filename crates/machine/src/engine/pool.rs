//! The global registers between the launches of a run.

use super::Outcome;
use crate::launch::{Globals, Launch, Shared};
use std::borrow::Cow;

/// The global registers after the launches so far (docs/sharing.md).
///
/// A caller of several launches in turn passes each through [`Pool::launch`] and its outcome to [`Pool::after`].
#[derive(Clone, Debug, Default)]
pub struct Pool(Option<Globals>);

impl Pool {
    /// A launch with the registers as they are now. Before the first launch with data sharing they
    /// hold what the launch itself says.
    pub fn launch<'a>(&self, launch: &'a Launch) -> Cow<'a, Launch> {
        match (&self.0, &launch.shared) {
            (Some(globals), Some(shared)) if launch.program.sharing().is_some() => {
                let shared = Shared { globals: globals.clone(), ..shared.clone() };
                Cow::Owned(Launch { shared: Some(shared), ..launch.clone() })
            }
            _ => Cow::Borrowed(launch),
        }
    }

    /// Takes what a launch has left.
    pub fn after(&mut self, outcome: &Outcome) {
        self.0 = outcome.shared.clone().or(self.0.take());
    }

    /// The contents, if a launch with data sharing has run.
    pub fn globals(&self) -> Option<&Globals> {
        self.0.as_ref()
    }
}
