//! Writes packs.

use super::super::{JobError, JobText, SharedFiles};
use super::{About, ENTRY, FOOT, Kind, Links, StateRegisters, few_passes, head};
use ctm_base::files::RealPaths;
use ctm_base::stop::Stop;
use ctm_lang::elf;
use ctm_lang::program::{Image, Registers};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf, absolute};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A job in the form of a pack, but for the numbers of its programs and arrays.
pub struct Ready {
    about: Vec<u8>,
    programs: Vec<(Vec<u8>, Option<StateRegisters>)>,
    arrays: Vec<Vec<u8>>,
    job: Vec<u8>,
}

impl Ready {
    /// Reads a job file and everything it names. `folder` is the real path of the pack's folder, if it has one: files
    /// in it or below are stored relative to it, other files with absolute paths.
    ///
    /// # Errors
    /// As [`Job::read_shared`](crate::job::Job::read_shared). A path that is not UTF-8; a program that an executable
    /// cannot hold; a job that is too
    /// large for a pack.
    pub fn read(
        file: &Path,
        folder: Option<&Path>,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Ready, JobError> {
        let fail = |problem: String| JobError::of_file(file, problem);
        let name = file.to_str().ok_or_else(|| fail("the path is not UTF-8".to_string()))?;
        let text = JobText::read(file, shared)?;
        let mut job = text.job(shared, stop)?;
        let mut files = text.files();
        let digest = text.digest(&files, shared);
        files.bytes = files.bytes.max(job.bytes());
        let mut about = About { name: name.to_string(), digest, files };
        few_passes(job.passes.len()).map_err(fail)?;
        let mut real = RealPaths::default();
        for path in job.paths().into_iter().chain(about.paths()) {
            let stored = stored(path, folder, &mut real);
            *path = stored.map_err(|error| fail(format!("{}: {error}", path.display())))?;
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
        let job = bytes(postcard::to_stdvec(&job))?;
        fits(about.len() + job.len()).map_err(fail)?;
        Ok(Ready { about, programs, arrays, job })
    }
}

/// Refuses the record of a job that would not be read.
fn fits(size: usize) -> Result<(), String> {
    let most = Kind::Job.most();
    let fits = size as u64 <= most;
    fits.then_some(())
        .ok_or_else(|| format!("it takes {size} bytes in a pack, expected at most {most}"))
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
fn stored(path: &Path, folder: Option<&Path>, real: &mut RealPaths) -> io::Result<PathBuf> {
    let path = absolute(path)?;
    if path.to_str().is_none() {
        return Err(io::Error::other("the path is not UTF-8"));
    }
    let inside = real.of(&path);
    let inside = folder.and_then(|folder| inside.strip_prefix(folder).ok());
    // So is a folder that does not exist.
    let inside =
        inside.filter(|inside| !inside.components().any(|part| part == Component::ParentDir));
    Ok(inside.map_or(path, Path::to_path_buf))
}

/// The folder of a pack with this path, as [`Ready::read`] wants it.
pub fn folder(pack: &Path) -> Option<PathBuf> {
    let real = absolute(RealPaths::default().of(pack)).ok()?;
    real.parent().map(Path::to_path_buf)
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
        let record = [&ready.about[..], &links, &ready.job].concat();
        fits(record.len()).map_err(io::Error::other)?;
        self.record(Kind::Job, &record)?;
        Ok(())
    }

    /// Adds job files, read on all threads: at most one job for each is in memory. `folder` as for [`Ready::read`].
    ///
    /// # Errors
    /// Those of the writer; inside, the first one of [`Ready::read`].
    pub fn add_files(
        &mut self,
        files: &[PathBuf],
        folder: Option<&Path>,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> io::Result<Result<(), JobError>> {
        for some in files.chunks(rayon::current_num_threads()) {
            let read = |file: &PathBuf| Ready::read(file, folder, shared, stop);
            let ready: Vec<_> = some.par_iter().map(read).collect();
            for ready in ready {
                match ready {
                    Ok(ready) => self.add(&ready)?,
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
        Ok(Ok(()))
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
