//! Errors of the interface, and the last error of each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::io::Write;
use std::sync::LazyLock;

use crate::elf::ElfError;

/// The error of a refused call: the text for [`last`]. No caller of the interface can tell errors
/// apart.
#[derive(Debug)]
pub(super) struct CallError(pub String);

impl<E: std::error::Error> From<E> for CallError {
    fn from(error: E) -> CallError {
        CallError(error.to_string())
    }
}

impl CallError {
    /// A pointer is NULL that must not be.
    pub(super) fn null(name: &str) -> CallError {
        CallError(format!("{name} is NULL"))
    }

    /// Text is not UTF-8.
    pub(super) fn not_text(name: &str) -> CallError {
        CallError(format!("{name} is not UTF-8 text"))
    }

    /// No open `kind` (device or compiler) has the handle.
    pub(super) fn handle(kind: &str, handle: usize) -> CallError {
        CallError(format!("{kind} handle {handle:#x}: no {kind} with this handle is open"))
    }

    /// An environment variable or a member of `ctm_config` has an invalid value.
    pub(super) fn setting(name: &str, value: impl Display, expected: &str) -> CallError {
        CallError(format!("{name} is \"{value}\", expected {expected}"))
    }

    /// The bytes are not an executable.
    pub(super) fn executable(error: ElfError) -> CallError {
        CallError(format!("not a valid executable: {error}"))
    }

    /// The host cannot allocate memory for a result.
    pub(super) fn host_memory(bytes: usize) -> CallError {
        CallError(format!("the host cannot provide {bytes} bytes"))
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Whether errors and hazards are also printed to standard error (`CTM_LOG`).
pub(super) static LOG: LazyLock<bool> = LazyLock::new(|| {
    std::env::var_os("CTM_LOG").is_some_and(|value| !value.is_empty() && value != "0")
});

/// Prints a line to standard error if enabled. Ignores failure: a client may have closed it, or its
/// disk may be full.
pub(super) fn log(message: std::fmt::Arguments) {
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
