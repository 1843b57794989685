//! A block of host memory that a client written in another language can read and write at any time.
//!
//! This crate never holds a reference to such bytes. It copies them in and out, so a client that
//! writes at the wrong time corrupts only its own data. All `unsafe` code of the memory controller
//! is here.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

/// Alignment of a block, and the size of the pieces in which blocks are compared.
const PAGE: usize = 4096;

/// Host memory with a stable address, zero at first. The host backs it lazily.
pub struct HostBlock {
    /// First byte, a multiple of [`PAGE`].
    start: NonNull<u8>,
    len: usize,
    /// The start of the allocation, for `dealloc`.
    allocation: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the pointers are to memory that the block owns until it is dropped, and any thread may
// use them. Accesses are plain copies of bytes; see `copy`.
unsafe impl Send for HostBlock {}
// SAFETY: as above.
unsafe impl Sync for HostBlock {}

impl HostBlock {
    /// A block of `len` bytes; `None` if the host refuses.
    pub fn new(len: usize) -> Option<HostBlock> {
        // One page more than needed, so that the start can be aligned to a page: the allocator
        // hands out untouched zero pages of the host only for small alignments.
        let layout = Layout::from_size_align(len.checked_add(PAGE)?, 16).ok()?;
        // SAFETY: the layout's size is not zero.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let offset = allocation.as_ptr().align_offset(PAGE);
        if offset >= PAGE {
            // SAFETY: allocated above with this layout, and not used anywhere.
            unsafe { dealloc(allocation.as_ptr(), layout) };
            return None;
        }
        // SAFETY: offset < PAGE, and the allocation has `len + PAGE` bytes.
        let start = unsafe { allocation.add(offset) };
        Some(HostBlock { start, len, allocation, layout })
    }

    /// Pointer to the first byte, for the client. Valid until the block is dropped.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Pointer to `len` bytes at `offset`; `None` if they are not all inside.
    fn at(&self, offset: usize, len: usize) -> Option<*mut u8> {
        let end = offset.checked_add(len)?;
        // SAFETY: `offset <= end <= self.len`, so the result is inside the allocation or one past.
        (end <= self.len).then(|| unsafe { self.start.as_ptr().add(offset) })
    }

    /// Fills `into` with the bytes from `offset`; `false`, and `into` unchanged, if they are not
    /// all inside.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> bool {
        let Some(from) = self.at(offset, into.len()) else {
            return false;
        };
        copy(from, into.as_mut_ptr(), into.len());
        true
    }

    /// Writes `bytes` from `offset` on; `false`, and nothing written, if they are not all inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        let Some(to) = self.at(offset, bytes.len()) else {
            return false;
        };
        copy(bytes.as_ptr(), to, bytes.len());
        true
    }

    /// Whether the bytes from `offset` on are inside and equal to `bytes`.
    pub fn equals(&self, offset: usize, bytes: &[u8]) -> bool {
        let Some(mut from) = self.at(offset, bytes.len()) else {
            return false;
        };
        let mut piece = [MaybeUninit::<u8>::uninit(); PAGE];
        bytes.chunks(PAGE).all(|expected| {
            copy(from, piece.as_mut_ptr().cast(), expected.len());
            // SAFETY: all chunks together are inside, which `at` has checked.
            from = unsafe { from.add(expected.len()) };
            // SAFETY: `copy` has just written that many bytes of `piece`.
            let found =
                unsafe { std::slice::from_raw_parts(piece.as_ptr().cast::<u8>(), expected.len()) };
            found == expected
        })
    }
}

/// Copies `len` bytes. One side may be memory that a client writes.
fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the callers pass pointers to `len` live bytes: one into the block, which its owner
    // keeps, and one into a slice or array of their own. So they do not overlap. No Rust reference
    // to the block's bytes exists. A client that writes them at this moment violates its interface
    // (it must not touch what a pending submission uses). The copy is then a mixture of old and new
    // bytes, and every value of a byte is valid.
    unsafe { ptr::copy_nonoverlapping(from, to, len) }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and not used afterwards.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

impl std::fmt::Debug for HostBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBlock").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_zero_and_aligned() {
        let block = HostBlock::new(3 * PAGE + 5).expect("memory");
        assert_eq!(block.as_ptr().align_offset(PAGE), 0);
        assert_eq!((block.len(), block.is_empty()), (3 * PAGE + 5, false));
        assert!(block.equals(0, &vec![0; 3 * PAGE + 5]));
    }

    #[test]
    fn bytes_go_in_and_out_inside_only() {
        let block = HostBlock::new(2 * PAGE).expect("memory");
        assert!(block.write(PAGE - 2, &[1, 2, 3, 4]));
        let mut bytes = [9; 6];
        assert!(block.read(PAGE - 3, &mut bytes));
        assert_eq!(bytes, [0, 1, 2, 3, 4, 0]);
        assert!(block.write(2 * PAGE, &[]));
        for (offset, len) in [(2 * PAGE, 1), (2 * PAGE - 1, 2), (usize::MAX, 2)] {
            let mut bytes = vec![7; len];
            assert!(!block.read(offset, &mut bytes));
            assert!(!block.write(offset, &bytes));
            assert!(!block.equals(offset, &bytes));
            assert_eq!(bytes, vec![7; len]);
        }
    }

    #[test]
    fn equality_sees_every_byte() {
        let block = HostBlock::new(3 * PAGE).expect("memory");
        let mut bytes: Vec<u8> = (0..3 * PAGE - 7).map(|n| (n % 251) as u8).collect();
        assert!(block.write(7, &bytes));
        assert!(block.equals(7, &bytes));
        for n in [0, 1, PAGE - 1, PAGE, 2 * PAGE + 3, bytes.len() - 1] {
            bytes[n] ^= 1;
            assert!(!block.equals(7, &bytes), "byte {n}");
            bytes[n] ^= 1;
        }
    }

    #[test]
    fn a_block_that_the_host_cannot_give_is_refused() {
        assert!(HostBlock::new(usize::MAX).is_none());
        assert!(HostBlock::new(isize::MAX as usize - 2 * PAGE).is_none());
    }

    #[test]
    fn an_empty_block_has_an_address() {
        let block = HostBlock::new(0).expect("memory");
        assert!(block.is_empty() && !block.as_ptr().is_null());
        assert!(block.equals(0, &[]));
    }
}
