//! Writes packs.

use super::super::{Job, JobError, JobFiles, SharedFiles};
use super::{About, ENTRY, FOOT, Kind, Links, StateRegisters, head};
use ctm_base::files::folder_of;
use ctm_base::stop::Stop;
use ctm_lang::elf;
use ctm_lang::program::{Image, Registers};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf, absolute};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A job in the form of a pack, but for the numbers of its programs and arrays.
pub struct Ready {
    about: Vec<u8>,
    programs: Vec<(Vec<u8>, Option<StateRegisters>)>,
    arrays: Vec<Vec<u8>>,
    job: Vec<u8>,
}

impl Ready {
    /// Reads a job file and everything it names. `pack` is the path of the pack: files in its folder or below are
    /// stored relative to the folder, other files with absolute paths.
    ///
    /// # Errors
    /// As [`Job::read_shared`]. A path that is not UTF-8; a program that an executable cannot hold.
    pub fn read(
        file: &Path,
        pack: &Path,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Ready, JobError> {
        let fail = |problem: String| JobError::of_file(file, problem);
        let name = file.to_str().ok_or_else(|| fail("the path is not UTF-8".to_string()))?;
        let text = Job::text(file, shared)?;
        let mut job = Job::parse_shared(&text, file, shared, stop)?;
        let mut files = JobFiles::of(&text, file);
        let digest = files.digest(&text, shared);
        files.bytes = files.bytes.max(job.bytes());
        let mut about = About { name: name.to_string(), digest, files };
        let folder = absolute(folder_of(pack)).map_err(|error| fail(error.to_string()))?;
        for path in job.paths().into_iter().chain(about.paths()) {
            *path = stored(path, &folder).map_err(|error| fail(error.to_string()))?;
        }
        let programs = job.passes.iter().map(|pass| {
            let program = pass.program_file.display();
            let no = || fail(format!("{program}: no executable can hold the program"));
            executable(pass.program.image()).ok_or_else(no)
        });
        let programs = programs.collect::<Result<_, _>>()?;
        let arrays = job.arrays().into_iter().map(array).collect();
        let bytes = |bytes: postcard::Result<Vec<u8>>| bytes.map_err(|e| fail(e.to_string()));
        let about = bytes(postcard::to_stdvec(&about))?;
        Ok(Ready { about, programs, arrays, job: bytes(postcard::to_stdvec(&job))? })
    }
}

/// An executable from which the image can be read, with its registers if those of the executable are others.
fn executable(image: &Image) -> Option<(Vec<u8>, Option<StateRegisters>)> {
    let kept = |image: &Image| {
        let bytes = elf::write(image);
        let mut read = elf::read(&bytes).ok()?;
        // No file format stores warnings; those of the job are in its record.
        read.warnings.clone_from(&image.warnings);
        (read == *image).then_some(bytes)
    };
    if let Some(bytes) = kept(image) {
        return Some((bytes, None));
    }
    let (registers, mut own) = (Registers::default_for(image.words.len()), image.registers);
    let bytes = kept(&Image { registers, ..image.clone() })?;
    Some((bytes, Some(own.words_mut().map(|word| *word))))
}

/// A path as a pack in this folder has it.
fn stored(path: &Path, folder: &Path) -> io::Result<PathBuf> {
    let path = absolute(path)?;
    let inside = path.strip_prefix(folder).ok();
    let up = |part| part == std::path::Component::ParentDir;
    let inside = inside.filter(|inside| !inside.components().any(up));
    Ok(inside.map_or(path.clone(), Path::to_path_buf))
}

/// The record of an array: the bytes of a unit, then the units.
fn array(units: &[u32]) -> Vec<u8> {
    let size = match units.iter().copied().max().unwrap_or(0) {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    };
    let mut bytes = Vec::with_capacity(1 + size * units.len());
    bytes.push(size as u8);
    units.iter().for_each(|unit| bytes.extend(&unit.to_le_bytes()[..size]));
    bytes
}

/// Writes a pack: each program and each array once.
pub struct Packer<'a> {
    to: &'a mut dyn Write,
    /// The bytes written.
    at: u64,
    index: Vec<[u64; 3]>,
    /// The number of each program and array, by kind and hash.
    known: HashMap<(Kind, u128), u64>,
}

impl<'a> Packer<'a> {
    /// Begins a pack.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn new(to: &'a mut dyn Write) -> io::Result<Packer<'a>> {
        let head = head();
        to.write_all(&head)?;
        Ok(Packer { to, at: head.len() as u64, index: Vec::new(), known: HashMap::new() })
    }

    fn record(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<u64> {
        self.index.push([self.at, kind as u64, xxh3_64(bytes)]);
        self.to.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(self.index.len() as u64 - 1)
    }

    /// The number of a record, which is written if it is new.
    fn once(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<u64> {
        let key = (kind, xxh3_128(bytes));
        if let Some(&number) = self.known.get(&key) {
            return Ok(number);
        }
        let number = self.record(kind, bytes)?;
        self.known.insert(key, number);
        Ok(number)
    }

    /// Adds a job.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn add(&mut self, ready: &Ready) -> io::Result<()> {
        let programs = ready
            .programs
            .iter()
            .map(|(bytes, registers)| Ok((self.once(Kind::Program, bytes)?, *registers)));
        let programs = programs.collect::<io::Result<_>>()?;
        let arrays = ready.arrays.iter().map(|bytes| self.once(Kind::Array, bytes));
        let arrays = arrays.collect::<io::Result<_>>()?;
        let links = postcard::to_stdvec(&Links { programs, arrays }).map_err(io::Error::other)?;
        self.record(Kind::Job, &[&ready.about[..], &links, &ready.job].concat())?;
        Ok(())
    }

    /// Ends the pack. Returns the number of programs, and the bytes of the pack.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<(usize, u64)> {
        let count = self.index.len() as u64;
        let foot = [self.at, count].map(u64::to_le_bytes);
        for entry in &self.index {
            self.to.write_all(entry.map(u64::to_le_bytes).as_flattened())?;
        }
        self.to.write_all(foot.as_flattened())?;
        self.to.write_all(&xxh3_64(foot.as_flattened()).to_le_bytes())?;
        let programs = self.known.keys().filter(|(kind, _)| *kind == Kind::Program).count();
        Ok((programs, self.at + ENTRY * count + FOOT))
    }
}
