//! Handles: numbers that stand for open objects, so that an old or invented one is refused.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The open objects of one kind by their handles.
pub(super) struct Handles<T> {
    /// The low four bits of all handles of this kind, not 0: a handle is never NULL, and never one
    /// of another kind.
    tag: usize,
    issued: usize,
    open: HashMap<usize, T>,
}

impl<T> Handles<T> {
    /// Without any open object.
    pub fn new(tag: usize) -> Handles<T> {
        Handles { tag, issued: 0, open: HashMap::new() }
    }

    /// Adds an object; returns its handle, a number that no earlier one had.
    pub fn add(&mut self, object: T) -> usize {
        loop {
            self.issued = self.issued.wrapping_add(1);
            let handle = self.issued.wrapping_mul(16) | self.tag;
            if let Entry::Vacant(free) = self.open.entry(handle) {
                free.insert(object);
                return handle;
            }
        }
    }

    /// The object with this handle.
    pub fn get(&self, handle: usize) -> Option<&T> {
        self.open.get(&handle)
    }

    /// Removes the object with this handle.
    pub fn remove(&mut self, handle: usize) -> Option<T> {
        self.open.remove(&handle)
    }
}
