//! The error of the module.

use ctm_machine::engine::{LaunchError, Stopped};

/// The error of a command that the session cannot do. The session stays at its position unless it was
/// stopped on the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DebugError(pub String);

impl From<String> for DebugError {
    fn from(text: String) -> DebugError {
        DebugError(text)
    }
}

impl From<LaunchError> for DebugError {
    fn from(error: LaunchError) -> DebugError {
        DebugError(error.to_string())
    }
}

impl From<Stopped> for DebugError {
    fn from(why: Stopped) -> DebugError {
        DebugError(why.to_string())
    }
}
