//! The early end of a group.

use super::{FaultCode, Stopped};

/// The causes of an early end of a group.
pub(super) enum Early {
    /// A fault of the whole group.
    Fault(FaultCode),
    /// The run was stopped.
    Stopped(Stopped),
}

impl From<FaultCode> for Early {
    fn from(code: FaultCode) -> Early {
        Early::Fault(code)
    }
}

impl From<Stopped> for Early {
    fn from(why: Stopped) -> Early {
        Early::Stopped(why)
    }
}

/// Instructions that a group executes between two checks of a [`Stop`](super::Stop), flow control permitting.
pub(super) const LOOK: u64 = 1024;
