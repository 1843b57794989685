//! Errors of the interface, and the last error of each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io::Write;
use std::sync::LazyLock;

use super::connection::BOARD;
use super::settings::EngineError;
use crate::device::{Inherited, OpenError, SubmitError, WaitError};
use crate::elf::ElfError;
use crate::memory::MemoryError;

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum CallError {
    /// A pointer is NULL that must not be.
    #[error("{name} is NULL")]
    Null {
        /// The parameter.
        name: &'static str,
    },
    /// Text is not UTF-8.
    #[error("{name} is not UTF-8 text")]
    NotText {
        /// The parameter.
        name: &'static str,
    },
    /// The handle does not belong to an open device.
    #[error("device handle {handle:#x}: no device with this handle is open")]
    Handle {
        /// Its value.
        handle: usize,
    },
    /// The handle does not belong to an open compiler.
    #[error("compiler handle {handle:#x}: no compiler with this handle is open")]
    Compiler {
        /// Its value.
        handle: usize,
    },
    /// The board does not exist.
    #[error("device \"{name}\": there is one board, \"{}\"", BOARD)]
    Board {
        /// The requested name.
        name: String,
    },
    /// A setting has an invalid value.
    #[error("{name} is \"{value}\", expected {expected}")]
    Setting {
        /// The environment variable or the member of `ctm_config`.
        name: &'static str,
        /// The value.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// A recording cannot be made.
    #[error("ctm_record: \"{file}\": {reason}")]
    Record {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// An id that was never issued.
    #[error("submission id {id}: this device has given {issued} ids and this is none of them")]
    Id {
        /// The id.
        id: u32,
        /// The number of issued ids.
        issued: u64,
    },
    /// Statistics were not kept.
    #[error("submission {id}: no statistics were kept; open the device with statistics")]
    NoStatistics {
        /// The id.
        id: u32,
    },
    /// No macro names the language of a source.
    #[error("amuCompCompile: none of the macros AMU_LANG_PS3 and CTM_LANG_ASM is given")]
    Language,
    /// The entry point is not "main".
    #[error("amuCompCompile: the entry point is \"{name}\", expected \"main\"")]
    Entry {
        /// The requested name.
        name: String,
    },
    /// A source with errors, as human-readable text.
    #[error("{0}")]
    Source(String),
    /// The bytes are not an executable.
    #[error("not a valid executable: {0}")]
    Elf(#[from] ElfError),
    /// The engine is not available.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The device cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The device belongs to another process.
    #[error(transparent)]
    Inherited(#[from] Inherited),
    /// The command buffer cannot be submitted.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The submission has no report.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// An access outside memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The host cannot allocate memory for a result.
    #[error("the host cannot provide {bytes} bytes")]
    HostMemory {
        /// The requested bytes.
        bytes: usize,
    },
    /// A bug.
    #[error("internal error: {0}")]
    Panic(String),
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Whether errors are also printed to standard error (`CTM_LOG`).
static LOG: LazyLock<bool> = LazyLock::new(|| {
    std::env::var_os("CTM_LOG").is_some_and(|value| !value.is_empty() && value != "0")
});

/// Prints a line to standard error if enabled. Ignores failure: a client may have closed it, or its
/// disk may be full.
fn log(message: std::fmt::Arguments) {
    if *LOG {
        let _ = writeln!(std::io::stderr(), "ctm: {message}");
    }
}

/// Reports a note that is not an error, where errors are printed.
pub(super) fn note(message: &str) {
    log(format_args!("note: {message}"));
}

/// Sets the last error of this thread.
pub(super) fn set(message: &str) {
    log(format_args!("{message}"));
    let text: Vec<u8> = message.bytes().filter(|&b| b != 0).collect();
    // A thread that is ending can no longer be asked for it.
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
}

/// Clears the last error of this thread.
pub(super) fn clear() {
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::default());
}

/// The last error of this thread, empty if there is none. Valid until the next error.
pub(super) fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
