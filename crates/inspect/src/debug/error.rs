//! The error of the module.

use ctm_machine::engine::{LaunchError, Stopped};

/// Why the session cannot do something. It is where it was unless it was stopped on its way.
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
