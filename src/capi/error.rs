//! Errors of the interface, and the last one of each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io::Write;
use std::sync::LazyLock;

use super::connection::BOARD;
use super::settings::EngineError;
use crate::device::{OpenError, SubmitError, WaitError};
use crate::elf::ElfError;
use crate::memory::MemoryError;

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum CallError {
    /// A pointer that must point at something.
    #[error("{name} is NULL")]
    Null {
        /// The parameter.
        name: &'static str,
    },
    /// Text with bytes that are no text.
    #[error("{name} is not UTF-8 text")]
    NotText {
        /// The parameter.
        name: &'static str,
    },
    /// The handle of no open device.
    #[error("device handle {handle:#x}: no device with this handle is open")]
    Handle {
        /// Its value.
        handle: usize,
    },
    /// The handle of no open compiler.
    #[error("compiler handle {handle:#x}: no compiler with this handle is open")]
    Compiler {
        /// Its value.
        handle: usize,
    },
    /// A board that does not exist.
    #[error("device \"{name}\": there is one board, \"{}\"", BOARD)]
    Board {
        /// The name asked for.
        name: String,
    },
    /// A setting with a value that it cannot have.
    #[error("{name} is \"{value}\", expected {expected}")]
    Setting {
        /// The environment variable or the member of `ctm_config`.
        name: &'static str,
        /// The value.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// An id that was never given.
    #[error("submission id {id}: this device has given {issued} ids and this is none of them")]
    Id {
        /// The id.
        id: u32,
        /// How many were given.
        issued: u64,
    },
    /// Statistics that nobody kept.
    #[error("submission {id}: no statistics were kept; open the device with statistics")]
    NoStatistics {
        /// The id.
        id: u32,
    },
    /// What the language of a source is.
    #[error("amuCompCompile: none of the macros AMU_LANG_PS3 and CTM_LANG_ASM is given")]
    Language,
    /// An entry point that a source cannot have.
    #[error("amuCompCompile: the entry point is \"{name}\", expected \"main\"")]
    Entry {
        /// The name asked for.
        name: String,
    },
    /// A source with errors, already as text for people.
    #[error("{0}")]
    Source(String),
    /// Bytes that are no executable.
    #[error("not a valid executable: {0}")]
    Elf(#[from] ElfError),
    /// An engine that cannot be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A device that cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A command buffer that cannot be submitted.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// A submission without a report.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// An access outside memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The host has no memory for a result.
    #[error("the host cannot provide {bytes} bytes")]
    HostMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// A bug.
    #[error("internal error: {0}")]
    Panic(String),
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Whether errors go to standard error too (`CTM_LOG`).
static LOG: LazyLock<bool> = LazyLock::new(|| {
    std::env::var_os("CTM_LOG").is_some_and(|value| !value.is_empty() && value != "0")
});

/// Prints a line on standard error if that is wanted. A client may have closed it, or its disk may
/// be full.
fn log(message: std::fmt::Arguments) {
    if *LOG {
        let _ = writeln!(std::io::stderr(), "ctm: {message}");
    }
}

/// Something worth knowing that is no error: printed where errors are.
pub(super) fn note(message: &str) {
    log(format_args!("note: {message}"));
}

/// Keeps a message as the last error of this thread.
pub(super) fn set(message: &str) {
    log(format_args!("{message}"));
    let text: Vec<u8> = message.bytes().filter(|&b| b != 0).collect();
    // A thread that is ending has nobody to ask for it.
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
}

/// Forgets the last error of this thread.
pub(super) fn clear() {
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::default());
}

/// The last error of this thread, empty if there is none. Valid until the next one.
pub(super) fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
