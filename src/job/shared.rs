//! Files that several jobs name: read, checked and kept once.

use crate::array::Array;
use crate::array::root::{Refused, Root};
use crate::load::{Kind, Loaded};
use crate::memory::Format;
use crate::program::{Program, Registers};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// What has been read for the jobs of a batch: programs by file and, where files are the same byte
/// for byte, by content; arrays by file.
///
/// It takes for granted that files do not change while it lives. Of programs and of arrays at most
/// some 64 MiB are kept.
///
/// It may be confined to a folder: then no job reads or writes a file outside.
#[derive(Debug, Default)]
pub struct SharedFiles {
    root: Option<Root>,
    programs: Mutex<Programs>,
    arrays: Mutex<Arrays>,
}

/// What of a job decides how a program file is read.
pub(super) type Reading = (Option<Kind>, Option<usize>);

/// What a job changes in a program that it has read: the uncached-write flag and the registers.
pub(super) type Changes = (bool, Registers);

/// A surface's array as it is kept: stored units, width, height.
pub(super) type Units = (Arc<Vec<u32>>, u32, u32);

/// What an array was checked against: format, width, height.
pub(super) type Form = (Format, Option<u32>, Option<u32>);

/// A program file that was read, and the programs that jobs made of it.
#[derive(Debug)]
pub(super) struct SharedProgram {
    /// What the file holds.
    pub(super) loaded: Loaded,
    verified: Mutex<HashMap<Changes, Arc<Program>>>,
}

impl SharedProgram {
    fn new(loaded: Loaded) -> Arc<SharedProgram> {
        Arc::new(SharedProgram { loaded, verified: Mutex::default() })
    }

    /// The program with some changes; `make` makes it if there is none yet.
    pub(super) fn verified<E>(
        &self,
        changes: Changes,
        make: impl FnOnce() -> Result<Program, E>,
    ) -> Result<Arc<Program>, E> {
        let mut verified = lock(&self.verified);
        if let Some(program) = verified.get(&changes) {
            return Ok(program.clone());
        }
        let program = Arc::new(make()?);
        verified.insert(changes, program.clone());
        Ok(program)
    }
}

#[derive(Debug, Default)]
struct Programs {
    by_file: HashMap<(PathBuf, Reading), Arc<SharedProgram>>,
    by_bytes: HashMap<(Vec<u8>, Reading), Arc<SharedProgram>>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Arrays {
    surfaces: HashMap<(PathBuf, Form), Units>,
    constants: HashMap<PathBuf, Arc<Array>>,
    bytes: usize,
}

/// Bytes of programs, and of arrays, that are kept at most.
const MAX_BYTES: usize = 64 << 20;

/// What a kept program costs for each byte of its file, by and large.
const PER_BYTE: usize = 16;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

impl SharedFiles {
    /// Nothing yet.
    pub fn new() -> SharedFiles {
        SharedFiles::default()
    }

    /// Nothing yet, and nothing outside a folder.
    pub fn within(root: Root) -> SharedFiles {
        SharedFiles { root: Some(root), ..SharedFiles::default() }
    }

    /// The folder that confines jobs.
    pub fn root(&self) -> Option<&Root> {
        self.root.as_ref()
    }

    /// Refuses a file outside the folder that confines jobs, if there is one.
    pub(super) fn check(&self, path: &Path) -> Result<(), Refused> {
        self.root.as_ref().map_or(Ok(()), |root| root.check(path))
    }

    /// [`SharedFiles::check`] for a path that a job in the folder `base` gives.
    pub(super) fn check_in(&self, base: &Path, path: &Path) -> Result<(), Refused> {
        let root = self.root.as_ref();
        root.map_or(Ok(()), |root| root.check_in(base, path))
    }

    /// The program of a file that was read before.
    pub(super) fn program(&self, path: &Path, reading: Reading) -> Option<Arc<SharedProgram>> {
        let key = (path.to_path_buf(), reading);
        lock(&self.programs).by_file.get(&key).cloned()
    }

    /// The program of a file that has just been read: one of a file with the same bytes, or else
    /// what `load` makes of them.
    pub(super) fn program_of_bytes<E>(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        reading: Reading,
        load: impl FnOnce(&[u8]) -> Result<Loaded, E>,
    ) -> Result<Arc<SharedProgram>, E> {
        let file = (path.to_path_buf(), reading);
        let key = (bytes, reading);
        {
            let mut programs = lock(&self.programs);
            if let Some(known) = programs.by_bytes.get(&key).cloned() {
                programs.by_file.insert(file, known.clone());
                return Ok(known);
            }
        }
        // Not under the lock: others have files of their own to assemble.
        let program = SharedProgram::new(load(&key.0)?);
        let mut programs = lock(&self.programs);
        let cost = key.0.len().saturating_mul(PER_BYTE);
        if programs.bytes.saturating_add(cost) > MAX_BYTES {
            *programs = Programs::default();
        }
        programs.bytes = programs.bytes.saturating_add(cost);
        // Two may have read it at the same time: the first one counts, for both.
        let program = programs.by_bytes.entry(key).or_insert(program).clone();
        programs.by_file.insert(file, program.clone());
        Ok(program)
    }

    pub(super) fn surface(&self, path: &Path, form: Form) -> Option<Units> {
        let key = (path.to_path_buf(), form);
        lock(&self.arrays).surfaces.get(&key).cloned()
    }

    pub(super) fn keep_surface(&self, path: &Path, form: Form, units: &Units) {
        let mut arrays = lock(&self.arrays);
        if arrays.room(units.0.len()) {
            arrays.surfaces.insert((path.to_path_buf(), form), units.clone());
        }
    }

    pub(super) fn constants(&self, path: &Path) -> Option<Arc<Array>> {
        lock(&self.arrays).constants.get(path).cloned()
    }

    pub(super) fn keep_constants(&self, path: &Path, array: &Arc<Array>) {
        let mut arrays = lock(&self.arrays);
        if arrays.room(array.units.len()) {
            arrays.constants.insert(path.to_path_buf(), array.clone());
        }
    }
}

impl Arrays {
    /// Makes room for so many units; `false` if they are too many at any time.
    fn room(&mut self, units: usize) -> bool {
        let bytes = units.saturating_mul(4).saturating_add(256);
        if bytes > MAX_BYTES {
            return false;
        }
        if self.bytes + bytes > MAX_BYTES {
            *self = Arrays::default();
        }
        self.bytes += bytes;
        true
    }
}
