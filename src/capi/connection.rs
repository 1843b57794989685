//! Open devices, and 32-bit submission ids.

use parking_lot::RwLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::error::{self, CallError};
use super::handles::Handles;
use super::report;
use super::settings::Settings;
use super::types::Status;
use crate::device::{Device, SubmissionReport, SubmitId, WaitError};
use crate::memory::MemoryError;

/// The only board.
pub(super) const BOARD: &str = "/dev/pcie0";

/// The longest pause of a client that polls. It ends as soon as the submission does.
const PAUSE: Duration = Duration::from_millis(1);

/// An open device.
pub(super) struct Connection {
    pub device: Device,
    /// The number of [`Connection::consumed`] calls that found a submission pending.
    polls: AtomicU32,
    /// The number of such calls after which the thread pauses.
    patience: u32,
    /// The last submission whose hazards are printed.
    logged: AtomicU64,
}

static OPEN: LazyLock<RwLock<Handles<Arc<Connection>>>> =
    LazyLock::new(|| RwLock::new(Handles::new(8)));

/// Opens a device; returns its handle.
pub(super) fn open(settings: &Settings) -> Result<(usize, Arc<Connection>), CallError> {
    // An engine and a recorder that will not be used have effects, too.
    Device::check_fork()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let connection = Arc::new(Connection {
        device: Device::open(settings.device()?)?,
        polls: AtomicU32::new(0),
        patience: if cores > 1 { 512 } else { 1 },
        logged: AtomicU64::new(0),
    });
    let handle = OPEN.write().add(Arc::clone(&connection));
    Ok((handle, connection))
}

/// The open device with this handle.
pub(super) fn get(handle: usize) -> Result<Arc<Connection>, CallError> {
    let connection =
        OPEN.read().get(handle).cloned().ok_or_else(|| CallError::handle("device", handle))?;
    // Every call comes by here. In a child of a fork it could wait for ever.
    connection.device.check_process()?;
    Ok(connection)
}

/// Closes a device. Concurrent calls of other threads finish first or are refused.
pub(super) fn close(handle: usize) -> Result<(), CallError> {
    get(handle)?;
    let connection = OPEN.write().remove(handle);
    let connection = connection.ok_or_else(|| CallError::handle("device", handle))?;
    connection.device.close();
    // The thread that drops the last reference waits until the running launch has stopped, and then
    // frees everything.
    drop(connection);
    Ok(())
}

/// The number of ids before they repeat: all values except 0.
const IDS: u64 = u32::MAX as u64;

/// The client's id for a submission.
pub(super) fn short(id: SubmitId) -> u32 {
    ((id.get() - 1) % IDS) as u32 + 1
}

/// The last of `issued` submissions with this client's id.
fn long(id: u32, issued: u64) -> Option<SubmitId> {
    let rest = u64::from(id.checked_sub(1)?);
    let last = issued.checked_sub(1)?;
    let rounds = last.checked_sub(rest)? / IDS;
    SubmitId::new(rest + rounds * IDS + 1)
}

impl Connection {
    /// The submission with this client's id.
    pub(super) fn id(&self, id: u32) -> Result<SubmitId, CallError> {
        let issued = self.device.issued();
        long(id, issued).ok_or_else(|| {
            let ids = format!("this device has given {issued} ids and this is none of them");
            CallError(format!("submission id {id}: {ids}"))
        })
    }

    /// Checks that an access is inside one arena, before memory is allocated for it.
    pub(super) fn check(&self, address: u32, size: u32) -> Result<(), CallError> {
        let len = u64::from(size);
        if self.device.arenas().iter().any(|arena| arena.contains(address, len)) {
            Ok(())
        } else {
            Err(MemoryError::OutsideArena { address, len }.into())
        }
    }

    /// Submits a command buffer in device memory.
    pub(super) fn submit(&self, address: u32, words: u32) -> Result<u32, CallError> {
        Ok(short(self.device.submit(address, words)?))
    }

    /// Whether a submission is complete. If it ended with an error or a fault, sets the last error.
    pub(super) fn consumed(&self, id: u32) -> Result<bool, CallError> {
        let id = self.id(id)?;
        if self.device.consumed(id) != Some(true) {
            // The engine may need the core that a polling client occupies.
            if self.polls.fetch_add(1, Ordering::Relaxed) % self.patience == self.patience - 1 {
                self.device.pause(id, PAUSE);
            }
            return Ok(false);
        }
        self.log_hazards(id);
        if self.device.last_failed().is_some_and(|failed| id <= failed)
            && let Ok(report) = self.device.wait(id)
            && let Some(problem) = report::problem(id, &report)
        {
            error::set(&problem);
        }
        Ok(true)
    }

    /// Prints the hazards of the submissions up to a complete one, each once, where errors are printed: a client of
    /// the original interface sees them nowhere else.
    fn log_hazards(&self, id: SubmitId) {
        if !*error::LOG {
            return;
        }
        let before = self.logged.fetch_max(id.get(), Ordering::AcqRel);
        for id in (before + 1..=id.get()).filter_map(SubmitId::new) {
            // A report that is forgotten is not there to be printed.
            let Ok(report) = self.device.wait(id) else { continue };
            for hazard in &report.hazards {
                error::log(format_args!("submission {}: hazard: {hazard}", short(id)));
            }
        }
    }

    /// Stops a submission that is not complete.
    pub(super) fn cancel(&self, id: u32) -> Result<(), CallError> {
        self.device.cancel(self.id(id)?);
        Ok(())
    }

    /// Waits for a submission; returns its report.
    pub(super) fn wait(&self, id: u32) -> Result<(SubmitId, Arc<SubmissionReport>), CallError> {
        let id = self.id(id)?;
        let report = self.device.wait(id)?;
        self.log_hazards(id);
        Ok((id, report))
    }

    /// The status of a submission, without waiting.
    pub(super) fn status(&self, id: u32) -> Result<Status, CallError> {
        let id = self.id(id)?;
        if self.device.consumed(id) != Some(true) {
            return Ok(Status::Pending);
        }
        match self.device.wait(id) {
            Ok(report) => Ok(report::status(&report)),
            Err(WaitError::Forgotten { .. }) => Ok(Status::Forgotten),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_32_bits_are_never_zero_and_wrap() {
        let id = |number| SubmitId::new(number).expect("not zero");
        for (number, expected) in [
            (1, 1),
            (2, 2),
            (IDS, u32::MAX),
            (IDS + 1, 1),
            (2 * IDS + 7, 7),
            (u64::MAX, (u64::MAX - 1).wrapping_rem(IDS) as u32 + 1),
        ] {
            assert_eq!(short(id(number)), expected, "{number}");
            assert_eq!(long(expected, number), Some(id(number)), "{number}");
        }
        // An id means the last submission with that id.
        assert_eq!(long(5, IDS + 9), Some(id(IDS + 5)));
        assert_eq!(long(10, IDS + 9), Some(id(10)));
        assert_eq!(long(u32::MAX, IDS + 9), Some(id(IDS)));
        // Ids that were never issued.
        assert_eq!(long(0, IDS + 9), None);
        assert_eq!(long(1, 0), None);
        assert_eq!(long(4, 3), None);
    }
}
