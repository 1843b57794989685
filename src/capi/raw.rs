//! Access to memory through the client's pointers.
//!
//! Everything is copied: no reference to a client's memory outlives a function of this module. If
//! another thread of the client changes that memory, the copies here do not change.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use super::error::CallError;
use crate::elf::{self, ElfError};
use crate::load::EXECUTABLE;

/// A log function, which receives text: `AMUlogFunction`.
pub(super) type Log = Option<unsafe extern "C" fn(message: *const c_char)>;

/// The longest executable whose length is read from its headers. Real ones have about 13 KiB.
const MAX_EXECUTABLE: usize = 1 << 20;

/// The number of times that the needed length may grow while the headers are read.
const MAX_PARTS: usize = 64;

/// An optional string.
///
/// # Safety
/// `from` is NULL or points to a string with a terminating zero.
pub(super) unsafe fn text(
    name: &'static str,
    from: *const c_char,
) -> Result<Option<String>, CallError> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, hence a string.
    let bytes = unsafe { CStr::from_ptr(from) };
    let text = bytes.to_str().map_err(|_| CallError::not_text(name))?;
    Ok(Some(text.to_string()))
}

/// `count` values; `from` may be NULL if there are none.
///
/// # Safety
/// `from` is NULL or points to `count` values, at any alignment.
pub(super) unsafe fn values<T: Copy>(
    name: &'static str,
    from: *const T,
    count: usize,
) -> Result<Vec<T>, CallError> {
    let mut values = Vec::new();
    if count == 0 {
        return Ok(values);
    }
    if from.is_null() {
        return Err(CallError::null(name));
    }
    let bytes = count.saturating_mul(size_of::<T>());
    values.try_reserve_exact(count).map_err(|_| CallError::host_memory(bytes))?;
    // SAFETY: `from` has `count` values, `values` has room for them, and it is new. Bytes are
    // copied, so that the alignment does not matter; they are values of a plain type.
    unsafe {
        ptr::copy_nonoverlapping(from.cast::<u8>(), values.as_mut_ptr().cast::<u8>(), bytes);
        values.set_len(count);
    }
    Ok(values)
}

/// Stores a value at the client's pointer.
///
/// # Safety
/// `to` is NULL or points to room for a value, at any alignment.
pub(super) unsafe fn put<T>(name: &'static str, to: *mut T, value: T) -> Result<(), CallError> {
    if to.is_null() {
        return Err(CallError::null(name));
    }
    // SAFETY: not NULL, hence room for a value.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Stores bytes at the client's pointer.
///
/// # Safety
/// `to` is NULL or points to room for them.
pub(super) unsafe fn put_bytes(
    name: &'static str,
    to: *mut c_void,
    bytes: &[u8],
) -> Result<(), CallError> {
    if bytes.is_empty() {
        return Ok(());
    }
    if to.is_null() {
        return Err(CallError::null(name));
    }
    // SAFETY: not NULL, hence room; `bytes` is ours and does not overlap the client's memory.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
    Ok(())
}

/// Stores a string in a buffer of `size` bytes, cut so that the terminating zero fits. Returns the
/// length of the whole string, without the zero.
///
/// # Safety
/// `to` is NULL, or points to room for `size` bytes.
pub(super) unsafe fn put_text(to: *mut c_char, size: u32, text: &str) -> u32 {
    if !to.is_null() && size != 0 {
        let mut len = text.len().min(size as usize - 1);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        // SAFETY: `len + 1 <= size` bytes of room.
        unsafe {
            ptr::copy_nonoverlapping(text.as_ptr().cast(), to, len);
            to.add(len).write(0);
        }
    }
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Passes a text to a log function, line by line, each with its line end.
///
/// # Safety
/// `log` is a function or none.
pub(super) unsafe fn tell(log: Log, text: &str) {
    let Some(log) = log else { return };
    for line in text.lines() {
        let mut bytes: Vec<u8> = line.bytes().filter(|&b| b != 0).collect();
        bytes.extend_from_slice(b"\n\0");
        // SAFETY: a string with a terminating zero that lives until the call returns.
        unsafe { log(bytes.as_ptr().cast()) };
    }
}

/// The executable that begins at `from`. CTM's interface passes no length, so the length comes from
/// the headers. The first 52 bytes must be the header of a CTM executable; then its values and its
/// tables are trusted, up to [`MAX_EXECUTABLE`]. The size of the client's memory cannot be checked:
/// the caller guarantees a whole executable.
///
/// # Safety
/// `from` is NULL, or points to a whole executable, or to at least 52 bytes that are not the header
/// of one.
pub(super) unsafe fn executable(from: *const c_void) -> Result<Vec<u8>, CallError> {
    // SAFETY: 16 of the 52 bytes, enough to refuse anything that is not an executable.
    let magic = unsafe { values("binary", from.cast::<u8>(), 16)? };
    if !magic.starts_with(&EXECUTABLE) {
        elf::length(&magic).map_err(CallError::executable)?;
    }
    let mut needed = 52;
    let mut tries = 0;
    loop {
        // SAFETY: first the header; then as many bytes as the headers read so far promise.
        let bytes = unsafe { values("binary", from.cast::<u8>(), needed)? };
        tries += 1;
        match elf::length(&bytes) {
            Ok(_) => return Ok(bytes),
            Err(ElfError::OutOfRange { end, .. })
                if end <= MAX_EXECUTABLE as u64 && tries < MAX_PARTS =>
            {
                needed = end as usize;
            }
            Err(error) => return Err(CallError::executable(error)),
        }
    }
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// Memory that the client owns and may pass to the C library's `free`.
pub(super) fn allocate(bytes: usize) -> Result<*mut c_void, CallError> {
    // SAFETY: any size may be requested.
    let pointer = unsafe { malloc(bytes.max(1)) };
    if pointer.is_null() { Err(CallError::host_memory(bytes)) } else { Ok(pointer) }
}

/// Frees memory from [`allocate`].
///
/// # Safety
/// `pointer` is NULL or came from [`allocate`] and was not freed.
pub(super) unsafe fn release(pointer: *mut c_void) {
    // SAFETY: the caller guarantees it.
    unsafe { free(pointer) };
}
