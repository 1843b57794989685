//! Reads packs, by positioned reads of whole records.

use super::super::error::{JobError, caught, named};
use super::super::{Content, Job, SharedFiles};
use super::{
    About, ENTRY, FOOT, HEAD, Kind, Links, MAGIC, StateRegisters, VERSION, few_passes, head,
};
use crate::array::npy;
use crate::load;
use ctm_base::clock::Instant;
use ctm_base::files;
use ctm_base::panics;
use ctm_lang::elf;
use ctm_lang::program::Program;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// An error in a pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", named(path))]
pub struct PackError {
    /// The pack.
    pub path: PathBuf,
    /// The error.
    pub problem: Box<PackProblem>,
}

/// The problem of a pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackProblem {
    /// The host, or the folder that confines jobs, refuses.
    #[error("cannot read it: {0}")]
    Read(String),
    /// The file does not begin as a pack does.
    #[error("not a pack: it does not begin with \"CTMPACK\"")]
    NotPack,
    /// The version is of another ctm.
    #[error("a pack of version {found}; this ctm reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// A number that is impossible there.
    #[error("offset {offset:#x}: {what} is {value}, expected {expected}")]
    Number {
        /// The offset of the number, or of what it counts.
        offset: u64,
        /// The number.
        what: String,
        /// Its value.
        value: u64,
        /// The possible values.
        expected: String,
    },
    /// Bytes changed after they were written.
    #[error("offset {offset:#x}: {what} does not have its checksum: it is damaged or cut short")]
    Damaged {
        /// The offset of the part.
        offset: u64,
        /// The part.
        what: String,
    },
    /// A record with the right checksum and impossible contents.
    #[error("{what} at offset {offset:#x}: {problem}")]
    Content {
        /// The record.
        what: String,
        /// Its offset.
        offset: u64,
        /// The error.
        problem: String,
    },
}

/// At most about this many bytes of programs and arrays are kept.
const MAX_KEPT: usize = 64 << 20;

/// The approximate memory of a kept program per byte in the file.
const PER_BYTE: usize = 16;

/// The approximate memory of a kept array besides its units.
const ARRAY: usize = 256;

/// The number of entries of the index that are read at once.
const ENTRIES: u64 = 1 << 10;

/// An open pack. The file must not change.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    file: Mutex<File>,
    /// The offset of the index.
    index: u64,
    /// The number of records.
    count: u64,
    kept: Mutex<Kept>,
}

/// Programs and arrays that jobs may share.
#[derive(Debug, Default)]
struct Kept {
    programs: HashMap<(u64, Option<StateRegisters>), Arc<Program>>,
    arrays: HashMap<u64, Arc<Vec<u32>>>,
    bytes: usize,
}

impl Kept {
    /// Makes room for this many bytes of memory; `false` if they can never fit.
    fn room(&mut self, bytes: usize) -> bool {
        if bytes > MAX_KEPT {
            return false;
        }
        if self.bytes + bytes > MAX_KEPT {
            *self = Kept::default();
        }
        self.bytes += bytes;
        true
    }
}

/// A record of the index.
struct Indexed {
    kind: Kind,
    offset: u64,
    end: u64,
    hash: u64,
}

impl Kind {
    /// The most bytes of a record.
    pub(super) fn most(self) -> u64 {
        match self {
            Kind::Program => load::MAX_FILE,
            Kind::Array => npy::MAX_FILE,
            Kind::Job => 16 << 20,
        }
    }
}

impl Pack {
    /// Whether a path in a list of jobs is that of a pack: by its extension, else by the first bytes of the file, if
    /// `shared` allows reading it.
    pub fn is(path: &Path, shared: &SharedFiles) -> bool {
        let mut start = [0; MAGIC.len()];
        let mut read = || files::open(path).and_then(|mut file| file.read_exact(&mut start));
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("pack") => true,
            Some("toml") => false,
            _ => shared.check(path).is_ok() && read().is_ok() && start == MAGIC,
        }
    }

    /// Opens a pack, if `shared` allows reading it.
    ///
    /// # Errors
    /// It cannot be read, or its head or foot is damaged.
    pub fn open(path: &Path, shared: &SharedFiles) -> Result<Pack, PackError> {
        let fail = |problem| PackError { path: path.to_path_buf(), problem: Box::new(problem) };
        shared.check(path).map_err(|reason| fail(PackProblem::Read(reason.to_string())))?;
        let file = files::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (len, file) = file.map_err(|error| fail(PackProblem::Read(error.to_string())))?;
        let (path, file) = (path.to_path_buf(), Mutex::new(file));
        let mut pack = Pack { path, file, index: 0, count: 0, kept: Mutex::default() };
        let start = pack.bytes(0, len.min(HEAD))?;
        if !start.starts_with(&MAGIC) {
            return Err(pack.fail(PackProblem::NotPack));
        }
        if len < HEAD + FOOT {
            let expected = format!("at least {}", HEAD + FOOT);
            return Err(pack.wrong(0, "the length of the file", len, expected));
        }
        let found = u32::from_le_bytes([start[8], start[9], start[10], start[11]]);
        if found != VERSION {
            return Err(pack.fail(PackProblem::Version { found }));
        }
        if start != head() {
            return Err(pack.damaged(0, "the head".to_string()));
        }
        let at = len - FOOT;
        let foot = pack.bytes(at, FOOT)?;
        let [index, count, hash] = numbers(&foot);
        if xxh3_64(&foot[..16]) != hash {
            return Err(pack.damaged(at, "the foot".to_string()));
        }
        let end = count.checked_mul(ENTRY).and_then(|size| size.checked_add(index));
        if index < HEAD || end != Some(at) {
            let expected = format!("{count} entries of {ENTRY} bytes before {at:#x}");
            return Err(pack.wrong(at, "the offset of the index", index, expected));
        }
        (pack.index, pack.count) = (index, count);
        Ok(pack)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of the records that are jobs, in order. Checks the places of all records.
    ///
    /// # Errors
    /// The index cannot be read, or a place or a kind in it is impossible.
    pub fn jobs(&self) -> Result<Vec<u64>, PackError> {
        let mut jobs = Vec::new();
        for first in (0..self.count).step_by(ENTRIES as usize) {
            let entries = self.entries(first, ENTRIES.min(self.count - first))?;
            let numbered = (first..).zip(entries);
            let of_jobs = numbered.filter(|(_, entry)| entry.kind == Kind::Job);
            jobs.extend(of_jobs.map(|(number, _)| number));
        }
        Ok(jobs)
    }

    /// The facts about a job.
    ///
    /// # Errors
    /// The record is damaged, or no job.
    pub fn about(&self, number: u64) -> Result<About, PackError> {
        let (offset, bytes) = self.record(Kind::Job, number)?;
        let (mut about, _) = self.part::<About>(&bytes, number, offset)?;
        let folder = self.folder();
        about.paths().for_each(|path| *path = folder.join(&*path));
        Ok(about)
    }

    /// The job of a record, with its programs, verified, and its arrays. Reads no other file.
    ///
    /// # Errors
    /// A record is damaged, a program is not valid, or no job file could give the job. A path that `shared` refuses.
    pub fn job(&self, number: u64, shared: &SharedFiles) -> Result<Job, JobError> {
        let of_pack = |error: PackError| JobError::of_file(&self.path, error.problem.to_string());
        let (offset, bytes) = self.record(Kind::Job, number).map_err(of_pack)?;
        let (about, rest) = self.part::<About>(&bytes, number, offset).map_err(of_pack)?;
        let file = PathBuf::from(&about.name);
        caught(&file, || {
            panics::point("read", || about.name.clone());
            let job = self.linked(number, offset, about, rest, shared);
            job.map_err(|error| JobError::of_file(&file, error.to_string()))
        })
    }

    /// The job in the rest of a record.
    fn linked(
        &self,
        number: u64,
        offset: u64,
        mut about: About,
        rest: &[u8],
        shared: &SharedFiles,
    ) -> Result<Job, PackError> {
        let fail = |problem: String| self.content(Kind::Job, number, offset, problem);
        let (links, rest) = self.part::<Links>(rest, number, offset)?;
        few_passes(links.programs.len()).map_err(fail)?;
        let (mut job, rest) = self.part::<Job>(rest, number, offset)?;
        if !rest.is_empty() {
            return Err(fail(format!("{} bytes are left after it", rest.len())));
        }
        job.file = PathBuf::from(&about.name);
        if links.programs.len() != job.passes.len() {
            let (programs, passes) = (links.programs.len(), job.passes.len());
            return Err(fail(format!("{programs} programs, expected {passes}, one for each pass")));
        }
        // Before anything is loaded that the job says it needs.
        job.sound(about.files.bytes).map_err(fail)?;
        let started = Instant::now();
        for (pass, &(program, registers)) in job.passes.iter_mut().zip(&links.programs) {
            pass.program = self.program(program, registers, shared)?;
        }
        job.compile = Some(started.elapsed());
        job.sound_with_programs().map_err(fail)?;
        let wanted = job.units();
        if links.arrays.len() != wanted.len() {
            let (arrays, wanted) = (links.arrays.len(), wanted.len());
            return Err(fail(format!("{arrays} arrays, expected {wanted}")));
        }
        // Each record once, however often the job needs it.
        let (mut arrays, mut lanes) = (HashMap::new(), HashMap::new());
        for (&record, units) in links.arrays.iter().zip(wanted) {
            let array = match arrays.entry(record) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.array(record)?),
            };
            if array.len() as u64 != units {
                let found = array.len();
                return Err(fail(format!("array {record} has {found} units, expected {units}")));
            }
        }
        let mut records = links.arrays.iter();
        let mut next = || records.next().and_then(|record| Some((record, arrays.get(record)?)));
        for buffer in &mut job.buffers {
            if let Content::Array(units) = &mut buffer.content
                && let Some((_, array)) = next()
            {
                *units = array.clone();
            }
        }
        let initial = job.passes.iter_mut().flat_map(|pass| &mut pass.initial);
        let globals = job.sharing.iter_mut().map(|sharing| &mut sharing.registers.globals);
        for data in initial.map(|initial| &mut initial.data).chain(globals) {
            if let Some((record, array)) = next() {
                let lanes = lanes.entry(record);
                *data = lanes.or_insert_with(|| Arc::new(array.as_chunks().0.to_vec())).clone();
            }
        }
        let folder = self.folder();
        for path in job.paths().into_iter().chain(about.paths()) {
            let allowed = shared.check_in(folder, path);
            let full = folder.join(&*path);
            allowed.map_err(|reason| fail(format!("{}: {reason}", named(&full))))?;
            *path = full;
        }
        match job.saves().iter().find(|path| !about.files.writes.contains(path)) {
            Some(path) => {
                Err(fail(format!("it saves {}, which is not in its list of files", named(path))))
            }
            None => Ok(job),
        }
    }

    /// The program of a record, verified, with these registers instead of its own.
    fn program(
        &self,
        number: u64,
        registers: Option<StateRegisters>,
        shared: &SharedFiles,
    ) -> Result<Arc<Program>, PackError> {
        if let Some(known) = self.kept.lock().programs.get(&(number, registers)) {
            return Ok(known.clone());
        }
        let (offset, bytes) = self.record(Kind::Program, number)?;
        let fail = |problem: String| self.content(Kind::Program, number, offset, problem);
        let mut image = elf::read(&bytes).map_err(|error| fail(error.to_string()))?;
        for (word, given) in image.registers.words_mut().into_iter().zip(registers.iter().flatten())
        {
            *word = *given;
        }
        shared.confine(&mut image);
        let program = Program::new(image).map_err(|errors| fail(errors.to_string()))?;
        let program = Arc::new(program);
        let mut kept = self.kept.lock();
        if kept.room(bytes.len().saturating_mul(PER_BYTE)) {
            kept.programs.insert((number, registers), program.clone());
        }
        Ok(program)
    }

    /// The units of a record.
    fn array(&self, number: u64) -> Result<Arc<Vec<u32>>, PackError> {
        if let Some(known) = self.kept.lock().arrays.get(&number) {
            return Ok(known.clone());
        }
        let (offset, bytes) = self.record(Kind::Array, number)?;
        let (size, units) = bytes.split_first().map_or((0, &bytes[..]), |(size, of)| (*size, of));
        if ![1, 2, 4].contains(&size) || units.len() % usize::from(size) != 0 {
            let problem = format!("{} bytes of units of {size} bytes each", units.len());
            return Err(self.content(Kind::Array, number, offset, problem));
        }
        let units: Vec<u32> = match size {
            1 => units.iter().map(|&unit| unit.into()).collect(),
            2 => units.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit).into()).collect(),
            _ => units.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
        };
        let units = Arc::new(units);
        let mut kept = self.kept.lock();
        if kept.room(4 * units.len() + ARRAY) {
            kept.arrays.insert(number, units.clone());
        }
        Ok(units)
    }

    /// The offset and the bytes of a record of this kind.
    fn record(&self, kind: Kind, number: u64) -> Result<(u64, Vec<u8>), PackError> {
        let known = if number < self.count { self.entries(number, 1)?.pop() } else { None };
        let Some(entry) = known else {
            let expected = format!("0 to {}", self.count.saturating_sub(1));
            return Err(self.wrong(
                self.index,
                &format!("the number of a record of the kind {kind}"),
                number,
                expected,
            ));
        };
        let Indexed { offset, end, hash, .. } = entry;
        if entry.kind != kind {
            let problem = format!("it is a record of the kind {}, expected {kind}", entry.kind);
            return Err(self.content(entry.kind, number, offset, problem));
        }
        if end - offset > kind.most() {
            let expected = format!("at most {}", kind.most());
            return Err(self.wrong(
                offset,
                &format!("the length of {kind} {number}"),
                end - offset,
                expected,
            ));
        }
        let bytes = self.bytes(offset, end - offset)?;
        if xxh3_64(&bytes) != hash {
            return Err(self.damaged(offset, format!("{kind} {number}")));
        }
        Ok((offset, bytes))
    }

    /// Entries of the index, checked.
    fn entries(&self, first: u64, count: u64) -> Result<Vec<Indexed>, PackError> {
        // An entry is followed by the place at which its record ends: that of the next one, or of the index.
        let start = self.index + ENTRY * first;
        let bytes = self.bytes(start, ENTRY * count + 8)?;
        let mut entries = Vec::new();
        for at in (0..count as usize).map(|n| n * ENTRY as usize) {
            let [[offset, kind, hash], [end, ..]] =
                [numbers(&bytes[at..]), numbers(&bytes[at + 24..])];
            let place = start + at as u64;
            if place == self.index && offset != HEAD {
                let expected = format!("{HEAD}: records follow the head");
                return Err(self.wrong(place, "the offset of the first record", offset, expected));
            }
            if !(HEAD..=self.index).contains(&offset) {
                let expected = format!("{HEAD} to {}, the offset of the index", self.index);
                return Err(self.wrong(place, "the offset of a record", offset, expected));
            }
            if !(offset..=self.index).contains(&end) {
                let expected = format!("{offset} to {}: records follow each other", self.index);
                return Err(self.wrong(
                    place + ENTRY,
                    "the offset of the next record",
                    end,
                    expected,
                ));
            }
            let Some(&kind) = usize::try_from(kind).ok().and_then(|kind| Kind::ALL.get(kind))
            else {
                return Err(self.wrong(
                    place + 8,
                    "the kind of a record",
                    kind,
                    "0, 1 or 2".to_string(),
                ));
            };
            entries.push(Indexed { kind, offset, end, hash });
        }
        Ok(entries)
    }

    /// A part of the record of a job, and the bytes after it.
    fn part<'a, T: DeserializeOwned>(
        &self,
        bytes: &'a [u8],
        number: u64,
        offset: u64,
    ) -> Result<(T, &'a [u8]), PackError> {
        let part = postcard::take_from_bytes(bytes);
        part.map_err(|error| {
            let part = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
            let problem = format!("its part {part} cannot be decoded: {error}");
            self.content(Kind::Job, number, offset, problem)
        })
    }

    /// Bytes inside the file.
    fn bytes(&self, offset: u64, length: u64) -> Result<Vec<u8>, PackError> {
        let read = || {
            let length = usize::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
            let mut bytes = vec![0; length];
            let mut file = self.file.lock();
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error: io::Error| self.fail(PackProblem::Read(error.to_string())))
    }

    /// The folder that paths in it are relative to.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    fn fail(&self, problem: PackProblem) -> PackError {
        PackError { path: self.path.clone(), problem: Box::new(problem) }
    }

    fn wrong(&self, offset: u64, what: &str, value: u64, expected: String) -> PackError {
        self.fail(PackProblem::Number { offset, what: what.to_string(), value, expected })
    }

    fn damaged(&self, offset: u64, what: String) -> PackError {
        self.fail(PackProblem::Damaged { offset, what })
    }

    fn content(&self, kind: Kind, number: u64, offset: u64, problem: String) -> PackError {
        self.fail(PackProblem::Content { what: format!("{kind} {number}"), offset, problem })
    }
}

/// The first numbers in bytes; 0 where there are none.
fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut numbers = [0; N];
    for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
        *number = u64::from_le_bytes(*bytes);
    }
    numbers
}
