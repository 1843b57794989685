//! Files that several jobs name: read and checked once, then kept.

use crate::array::npy;
use ctm_base::files::{self, Refused, Root};
use ctm_lang::load::{Kind, Loaded};
use ctm_lang::program::{Image, Program, Registers, Sharing};
use ctm_machine::memory::Format;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that have been read for the jobs of a batch: programs by file and, for files with the
/// same bytes, by content; arrays by file.
///
/// Files must not change while it exists. It keeps at most about 64 MiB of programs and as much of
/// arrays.
///
/// It may be confined to a folder; then no job reads or writes a file outside.
#[derive(Debug, Default)]
pub struct SharedFiles {
    root: Option<Root>,
    /// The only files that jobs can read, if they are not read from disk.
    held: Option<HashMap<PathBuf, Arc<[u8]>>>,
    programs: Mutex<Programs>,
    arrays: Mutex<Arrays>,
    digests: Mutex<HashMap<PathBuf, [u8; 16]>>,
}

/// The values in a job that decide how a program file is read.
pub(super) type Reading = (Option<Kind>, Option<usize>, Vec<String>);

/// The values in a job that change a loaded program: the uncached-write flag, the registers, the
/// shared registers.
pub(super) type Changes = (bool, Registers, Option<Sharing>);

/// A kept array: stored units, width, height.
pub(super) type Units = (Arc<Vec<u32>>, u32, u32);

/// The requirements that an array met: format, width, height.
pub(super) type Form = (Format, Option<u32>, Option<u32>);

/// A program file that was read, and the programs that jobs made from it.
#[derive(Debug)]
pub(super) struct SharedProgram {
    /// The contents of the file.
    pub(super) loaded: Loaded,
    verified: Mutex<HashMap<Changes, Arc<Program>>>,
}

impl SharedProgram {
    fn new(loaded: Loaded) -> Arc<SharedProgram> {
        Arc::new(SharedProgram { loaded, verified: Mutex::default() })
    }

    /// The program with these changes; calls `make` the first time.
    pub(super) fn verified<E>(
        &self,
        changes: Changes,
        make: impl FnOnce() -> Result<Program, E>,
    ) -> Result<Arc<Program>, E> {
        let mut verified = self.verified.lock();
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
    kept: HashMap<(PathBuf, Option<Form>), Units>,
    bytes: usize,
}

/// At most this many bytes of programs are kept, and of arrays.
const MAX_BYTES: usize = 64 << 20;

/// The approximate memory of a kept program per byte of its file.
const PER_BYTE: usize = 16;

impl SharedFiles {
    /// Without any files yet.
    pub fn new() -> SharedFiles {
        SharedFiles::default()
    }

    /// Without any files yet, confined to a folder.
    pub fn within(root: Root) -> SharedFiles {
        SharedFiles { root: Some(root), ..SharedFiles::default() }
    }

    /// Without any files yet. Jobs read these files, and nothing from disk. A folder confines the
    /// sources of their programs, which are opened later.
    pub fn holding(files: HashMap<PathBuf, Arc<[u8]>>, root: Option<Root>) -> SharedFiles {
        SharedFiles { root, held: Some(files), ..SharedFiles::default() }
    }

    /// Reads a file of at most `limit` bytes that a job names.
    pub(super) fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        match &self.held {
            None => files::read(path, limit),
            Some(held) => held.get(path).map(|bytes| bytes.to_vec()).ok_or_else(|| {
                io::Error::new(io::ErrorKind::NotFound, "it is not among the files of the job")
            }),
        }
    }

    /// The folder that confines jobs, if any.
    pub fn root(&self) -> Option<&Root> {
        self.root.as_ref()
    }

    /// Keeps a program that was loaded from opening sources outside the folder that confines jobs.
    pub fn confine(&self, image: &mut Image) {
        if let Some(root) = &self.root {
            image.confine_source(root);
        }
    }

    /// Refuses a file outside the folder that confines jobs, if any.
    pub(super) fn check(&self, path: &Path) -> Result<(), Refused> {
        self.root_of_disk().map_or(Ok(()), |root| root.check(path))
    }

    /// [`SharedFiles::check`] for a path in a job whose folder is `base`.
    pub(super) fn check_in(&self, base: &Path, path: &Path) -> Result<(), Refused> {
        self.root_of_disk().map_or(Ok(()), |root| root.check_in(base, path))
    }

    /// The folder that confines reads from disk: files in memory are not confined.
    fn root_of_disk(&self) -> Option<&Root> {
        self.root.as_ref().filter(|_| self.held.is_none())
    }

    /// The MD5 of a file's contents; that of nothing if the file must not or cannot be read.
    pub(super) fn digest(&self, path: &Path) -> [u8; 16] {
        if let Some(digest) = self.digests.lock().get(path) {
            return *digest;
        }
        let allowed = self.check(path).is_ok();
        let bytes = allowed.then(|| self.read(path, npy::MAX_FILE).ok()).flatten();
        let digest = md5::compute(bytes.unwrap_or_default()).0;
        self.digests.lock().insert(path.to_path_buf(), digest);
        digest
    }

    /// The program of a file: an earlier one of the file or of the bytes that `read` gives, else what
    /// `load` makes of them.
    pub(super) fn program<E>(
        &self,
        path: &Path,
        reading: Reading,
        read: impl FnOnce() -> Result<Vec<u8>, E>,
        load: impl FnOnce(&[u8]) -> Result<Loaded, E>,
    ) -> Result<Arc<SharedProgram>, E> {
        let file = (path.to_path_buf(), reading.clone());
        if let Some(known) = self.programs.lock().by_file.get(&file) {
            return Ok(known.clone());
        }
        let key = (read()?, reading);
        {
            let mut programs = self.programs.lock();
            if let Some(known) = programs.by_bytes.get(&key).cloned() {
                programs.by_file.insert(file, known.clone());
                return Ok(known);
            }
        }
        // Loads without the lock: meanwhile other threads load their own files.
        let program = SharedProgram::new(load(&key.0)?);
        let mut programs = self.programs.lock();
        let cost = key.0.len().saturating_mul(PER_BYTE);
        if programs.bytes.saturating_add(cost) > MAX_BYTES {
            *programs = Programs::default();
        }
        programs.bytes = programs.bytes.saturating_add(cost);
        // Two threads may have loaded it concurrently: both use the first one.
        let program = programs.by_bytes.entry(key).or_insert(program).clone();
        programs.by_file.insert(file, program.clone());
        Ok(program)
    }

    /// The array of a file that met `form`, or was a list of constants if that is `None`: an earlier
    /// one, else what `read` gives.
    pub(super) fn array<E>(
        &self,
        path: &Path,
        form: Option<Form>,
        read: impl FnOnce() -> Result<Units, E>,
    ) -> Result<Units, E> {
        let key = (path.to_path_buf(), form);
        if let Some(known) = self.arrays.lock().kept.get(&key) {
            return Ok(known.clone());
        }
        let units = read()?;
        let mut arrays = self.arrays.lock();
        if arrays.room(units.0.len()) {
            arrays.kept.insert(key, units.clone());
        }
        Ok(units)
    }
}

impl Arrays {
    /// Makes room for this many units; `false` if they can never fit.
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
