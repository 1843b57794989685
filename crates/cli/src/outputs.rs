//! The outputs of a command.
//!
//! An option that names a file or folder to write has values of the type [`Output`]. Only
//! [`Outputs`] makes paths of them, and it refuses those that the command must not replace. The
//! functions that write without it are listed in `clippy.toml` as disallowed in the command.
#![allow(clippy::disallowed_methods)]

use super::{jobs, programs, signals};
use anyhow::{Context, bail};
use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use ctm_base::files::{self, Folders, RealPaths, folder_of};
use ctm_engine::Stop;
use ctm_jobs::job::{Job, JobFiles, SharedFiles};
use ctm_jobs::load::{self, Kind};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The value of an option that names a file or folder to write.
#[derive(Clone, Debug)]
pub struct Output(PathBuf);

impl ValueParserFactory for Output {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Output>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Output as fn(PathBuf) -> Output)
    }
}

impl From<PathBuf> for Output {
    fn from(path: PathBuf) -> Output {
        Output(path)
    }
}

impl Output {
    /// Whether it means standard output.
    pub fn is_dash(&self) -> bool {
        programs::is_dash(&self.0)
    }

    /// Its path, for messages.
    pub fn display(&self) -> std::path::Display<'_> {
        self.0.display()
    }

    /// The extension of its name.
    pub fn extension(&self) -> Option<&OsStr> {
        self.0.extension()
    }

    /// The name and the file of `NAME=FILE`; `None` if it is only a file.
    pub fn named(&self) -> Option<(&str, Output)> {
        let (name, file) = self.0.to_str()?.split_once('=')?;
        (!name.contains('/')).then(|| (name, Output(file.into())))
    }

    /// A file in it.
    pub fn join(&self, name: &str) -> Output {
        Output(self.0.join(name))
    }
}

/// The files that a command reads and writes. An option may write nothing that the command reads,
/// no file of a job, and nothing that another option writes.
pub struct Outputs<'a> {
    /// The files and the folder that the command may read and write.
    shared: &'a SharedFiles,
    real: RealPaths,
    /// The reason why a place must not be written.
    taken: HashMap<PathBuf, String>,
}

impl<'a> Outputs<'a> {
    /// Without any files yet.
    pub fn new(shared: &'a SharedFiles) -> Outputs<'a> {
        Outputs { shared, real: RealPaths::default(), taken: HashMap::new() }
    }

    /// Takes a file and, if it is an executable, the sources that it names.
    fn take(&mut self, path: &Path, why: &str) {
        let Entry::Vacant(place) = self.taken.entry(self.real.file(path)) else { return };
        place.insert(why.to_string());
        for source in self.sources(path) {
            let why = format!("it would replace the source of {}", path.display());
            self.taken.entry(self.real.file(&source)).or_insert(why);
        }
    }

    /// The sources that an executable names: commands show their lines and read their comments.
    fn sources(&self, path: &Path) -> Vec<PathBuf> {
        // A pipe can be read only once.
        if !path.is_file() || jobs::check_argument(self.shared, path).is_err() {
            return Vec::new();
        }
        let mut magic = [0; load::EXECUTABLE.len()];
        let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
        if read.is_err() || magic != load::EXECUTABLE {
            return Vec::new();
        }
        // The command reports the errors of an executable.
        let loaded = programs::load(path, Some(Kind::Elf), None, self.shared, Stop::never());
        let loaded = loaded.unwrap_or_default();
        let maps = loaded.iter().filter_map(|program| program.image.source.get());
        maps.flat_map(|map| &map.files).map(|file| PathBuf::from(&file.path)).collect()
    }

    /// A file that the command reads; `-` is standard input.
    pub fn reads(&mut self, path: &Path) {
        if !programs::is_dash(path) {
            self.take(path, &format!("it would replace {}, which is read", path.display()));
        }
    }

    /// A job file, with all files that it names.
    pub fn job(&mut self, path: &Path) {
        let JobFiles { reads, writes, expected, masks, .. } = self.files(path);
        let what = format!("it would replace a file of {}", path.display());
        for file in [reads, writes, expected, masks].concat() {
            self.take(&file, &what);
        }
    }

    /// A job file, with the files that it names but does not save or expect.
    pub fn job_inputs(&mut self, path: &Path) {
        let JobFiles { reads, masks, .. } = self.files(path);
        for file in [reads, masks].concat() {
            self.take(&file, &format!("{} reads it, so it is not replaced", path.display()));
        }
    }

    fn files(&mut self, job: &Path) -> JobFiles {
        self.reads(job);
        // A pipe can be read only once.
        let text = job.is_file().then(|| Job::text(job, self.shared).ok()).flatten();
        text.map(|text| JobFiles::of(&text, job)).unwrap_or_default()
    }

    /// The file or device of an option besides the main output; `-` is standard output. Checked
    /// before the command does anything.
    pub fn add(&mut self, option: &str, output: &Output) -> anyhow::Result<Writable> {
        // Without a reader the command would wait for one after all its work.
        if files::is_pipe(&output.0) {
            bail!("{option} {}: it is a pipe, expected a file", output.0.display());
        }
        self.stream(option, output)
    }

    /// [`Outputs::add`] if there is one.
    pub fn maybe(
        &mut self,
        option: &str,
        output: &Option<Output>,
    ) -> anyhow::Result<Option<Writable>> {
        output.as_ref().map(|output| self.add(option, output)).transpose()
    }

    /// [`Outputs::add`] for the main output, which may also go to a pipe.
    pub fn stream(&mut self, option: &str, output: &Output) -> anyhow::Result<Writable> {
        let path = output.0.as_path();
        let mut place = path.to_path_buf();
        if !output.is_dash() {
            jobs::check(self.shared, option, path)?;
            place = self.real.file(path);
        }
        if let Some(taken) = self.taken.insert(place, format!("{option} writes it, too")) {
            bail!("{option} {}: {taken}", path.display());
        }
        let writable = Writable(path.to_path_buf());
        if !output.is_dash() {
            Folders::default().check(path).with_context(|| writable.cannot_write())?;
        }
        Ok(writable)
    }

    /// The folder that an option names: an existing one, or a new one.
    pub fn folder(&mut self, option: &str, output: &Output) -> anyhow::Result<WritableFolder> {
        let path = output.0.as_path();
        let context = || format!("{option} {}", path.display());
        let root = self.shared.root();
        root.map_or(Ok(()), |root| root.check_folder(path)).with_context(context)?;
        if fs::symlink_metadata(path).is_ok() && !path.is_dir() {
            bail!("{}: it is not a folder", context());
        }
        Ok(WritableFolder(path.to_path_buf()))
    }

    /// [`Outputs::folder`], which must not hold anything yet.
    pub fn new_folder(&mut self, option: &str, output: &Output) -> anyhow::Result<WritableFolder> {
        let folder = self.folder(option, output)?;
        if fs::read_dir(folder.path()).is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("{option} {}: the folder is not empty", folder.path().display());
        }
        Ok(folder)
    }

    /// An array that a job expects, and that --bless writes.
    pub fn expected(&mut self, job: &Path, array: &Path) -> anyhow::Result<Writable> {
        if let Some(taken) = self.taken.get(&self.real.file(array)) {
            bail!("{}: {}: {taken}", job.display(), array.display());
        }
        Ok(Writable(array.to_path_buf()))
    }
}

/// A file that may be written.
pub struct Writable(PathBuf);

impl Writable {
    /// A job file, to which --bless adds.
    pub fn job(file: &Path) -> Writable {
        Writable(file.to_path_buf())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether it is standard output.
    pub fn is_dash(&self) -> bool {
        programs::is_dash(&self.0)
    }

    /// Writes all of it.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_with(|to| to.write_all(bytes))
    }

    /// Writes all of it, complete or not at all.
    pub fn write_with(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        if self.is_dash() {
            let mut bytes = Vec::new();
            fill(&mut bytes).with_context(|| self.cannot_write())?;
            return super::output::print_bytes(&bytes).context(super::CANNOT_PRINT);
        }
        let write = || files::write_with(&self.0, fill);
        let written = signals::waiting_to_write(std::slice::from_ref(&self.0), write);
        written.with_context(|| self.cannot_write())
    }

    fn cannot_write(&self) -> String {
        format!("cannot write {}", self.0.display())
    }
}

/// A folder that may be written to.
pub struct WritableFolder(PathBuf);

impl WritableFolder {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes it if it is missing.
    pub fn create(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.0).with_context(|| format!("cannot write to {}", self.0.display()))
    }

    /// Makes it, with what `fill` writes to the folder that it is given: whole or not at all.
    pub fn create_with<T>(
        &self,
        fill: impl FnOnce(&Path) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let context = || format!("cannot write to {}", self.0.display());
        let parent = folder_of(&self.0);
        fs::create_dir_all(parent).with_context(context)?;
        // A command that is killed leaves this folder, which no later one uses.
        let part = tempfile::Builder::new().prefix(".ctm-part-").tempdir_in(parent);
        let part = part.with_context(context)?;
        let filled = fill(part.path())?;
        fs::rename(part.path(), &self.0).with_context(context)?;
        let _ = part.keep();
        Ok(filled)
    }

    /// Makes it, with new files: all of them or none.
    pub fn write_all(&self, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
        let is_new = !self.0.exists();
        self.create()?;
        for (n, (name, bytes)) in files.iter().enumerate() {
            let Err(error) = self.write(name, bytes) else { continue };
            // The first error is the one to report.
            for (name, _) in &files[..n] {
                let _ = fs::remove_file(self.0.join(name));
            }
            if is_new {
                let _ = fs::remove_dir(&self.0);
            }
            return Err(error);
        }
        Ok(())
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        Writable(self.0.join(name)).write(bytes)
    }
}

#[cfg(test)]
mod tests;
