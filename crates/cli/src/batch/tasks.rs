//! The jobs of a batch: where they come from, which part of them runs here, and the conflicts
//! between their files.

use super::super::{jobs, signals};
use super::Args;
use anyhow::{Context, anyhow, bail};
use ctm_base::files::{self, RealPaths};
use ctm_engine::Stop;
use ctm_jobs::job::packed::{About, Pack};
use ctm_jobs::job::{Job, JobError, JobFiles, JobText, SharedFiles};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

/// The largest list to read, in bytes: about a million paths.
const MAX_LIST: u64 = 64 << 20;

/// The longest line of a list that arrives on standard input, in bytes.
const MAX_LINE: u64 = 64 << 10;

/// The number of lines that are read ahead from standard input.
const AHEAD: usize = 1024;

/// A job of a list.
#[derive(Debug)]
pub enum Source {
    /// A job file, with its text if that is known.
    File(PathBuf, Option<Kept>),
    /// A record of a pack.
    Packed(Arc<Pack>, u64),
}

impl Source {
    /// The jobs of these paths: those of packs, and job files.
    pub fn all(paths: Vec<PathBuf>, shared: &SharedFiles) -> anyhow::Result<Vec<Source>> {
        Source::of(paths.into_iter().map(|path| (path, None)).collect(), shared)
    }

    fn of(found: Vec<Found>, shared: &SharedFiles) -> anyhow::Result<Vec<Source>> {
        let mut all = Vec::with_capacity(found.len());
        for (path, text) in found {
            if text.is_some() || !Pack::is(&path, shared) {
                all.push(Source::File(path, text));
                continue;
            }
            let pack = Arc::new(Pack::open(&path, shared)?);
            all.extend(pack.jobs()?.into_iter().map(|job| Source::Packed(pack.clone(), job)));
        }
        Ok(all)
    }

    /// The path of the job file, as reports print it.
    pub fn name(self) -> anyhow::Result<PathBuf> {
        match self {
            Source::File(path, _) => Ok(path),
            Source::Packed(pack, job) => Ok(pack.about(job)?.name.into()),
        }
    }
}

/// The room for texts of jobs that wait for their turn.
#[derive(Debug, Default)]
struct Room(AtomicU64);

/// The most bytes that waiting texts take, with their trees. The jobs after them are read again when they run.
const MOST_TEXTS: u64 = 128 << 20;

/// A text in memory, from the first look at its job to the job's end.
#[derive(Debug)]
pub struct Kept {
    text: JobText,
    room: Arc<Room>,
}

impl Kept {
    /// The text, if there is room.
    fn new(text: JobText, room: &Arc<Room>) -> Option<Kept> {
        let kept = Kept { room: room.clone(), text };
        // Without room it is dropped, which frees what it took.
        let before = room.0.fetch_add(kept.text.bytes(), Ordering::Relaxed);
        (before <= MOST_TEXTS).then_some(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.text.bytes(), Ordering::Relaxed);
    }
}

/// A job file in the arguments, with its text if that was read.
type Found = (PathBuf, Option<Kept>);

/// A job to run.
#[derive(Debug)]
pub struct Task {
    /// The path of its file.
    pub path: PathBuf,
    /// Its text, if it is kept.
    pub text: Option<Kept>,
    /// The record that it comes from, if it comes from a pack.
    pub packed: Option<(Arc<Pack>, u64)>,
    /// The path as the report prints it.
    pub name: String,
    /// Its place in the list, from 0.
    pub row: usize,
    /// Bytes of memory it takes, as in [`JobFiles::bytes`].
    pub bytes: u64,
}

impl Task {
    /// Reads the job.
    ///
    /// # Errors
    /// As [`Job::read_shared`] and [`Pack::job`].
    pub fn read(&self, shared: &SharedFiles, stop: &Stop) -> Result<Job, JobError> {
        match &self.packed {
            None => match &self.text {
                Some(kept) => kept.text.job(shared, stop),
                None => Job::read_shared(&self.path, shared, stop),
            },
            Some((pack, job)) => pack.job(*job, shared),
        }
    }
}

/// One of several parts of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The part, counted from 1.
    number: u32,
    /// The number of parts.
    of: u32,
}

impl Shard {
    /// Whether the job with this digest belongs to the part.
    fn has(self, digest: u128) -> bool {
        digest % u128::from(self.of) == u128::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            let shard = Shard { number: number.parse().ok()?, of: of.parse().ok()? };
            (1..=shard.of).contains(&shard.number).then_some(shard)
        });
        numbers.ok_or_else(|| "it is K/N, with K from 1 to N, such as 3/8".to_string())
    }
}

/// The facts about a job before it is read.
pub struct Looked {
    path: PathBuf,
    text: Option<Kept>,
    packed: Option<(Arc<Pack>, u64)>,
    files: JobFiles,
    /// Whether it belongs to the part that runs here.
    here: bool,
}

/// Takes in the jobs of a batch, one after the other. Refuses a job that is given twice, and jobs
/// in conflict: two that save to one file, or one that reads or expects a file that it or another job
/// saves.
/// Jobs that cannot be read name no files; they fail when they run.
pub struct Intake<'a> {
    args: &'a Args,
    shared: &'a SharedFiles,
    seen: HashSet<String>,
    room: Arc<Room>,
    real: RealPaths,
    /// The files that the batch writes: name, path as given, and real path.
    own: Vec<(&'static str, &'a Path, PathBuf)>,
    /// The job that saves, and the first one that reads, each file.
    writers: HashMap<PathBuf, String>,
    readers: HashMap<PathBuf, String>,
}

impl<'a> Intake<'a> {
    /// An empty list. `own`: files that the batch writes (name and path); no job may save to them.
    pub fn new(
        args: &'a Args,
        shared: &'a SharedFiles,
        own: impl Iterator<Item = (&'static str, &'a Path)>,
    ) -> Intake<'a> {
        let mut real = RealPaths::default();
        let own = own.map(|(what, path)| (what, path, real.of(path))).collect();
        let (writers, readers) = (HashMap::new(), HashMap::new());
        let (seen, room) = (HashSet::new(), Arc::default());
        Intake { args, shared, seen, room, real, own, writers, readers }
    }

    /// The jobs that the arguments name, in order, each once. All are refused if two of them are in
    /// conflict.
    pub fn all(&mut self) -> anyhow::Result<Vec<Task>> {
        let keep = |text| Kept::new(text, &self.room);
        let found = found(&self.args.jobs, self.args.list.as_deref(), self.shared, &keep)?;
        let sources = Source::of(found, self.shared)?;
        let this = &*self;
        let looked = sources.into_par_iter().map(|source| this.look(source));
        let looked: Vec<Looked> = looked.collect::<anyhow::Result<_>>()?;
        let mut tasks = Vec::with_capacity(looked.len());
        for looked in looked {
            tasks.extend(self.add(looked)?);
        }
        Ok(tasks)
    }

    /// The number of jobs so far, also of other parts.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// Looks at a job.
    ///
    /// # Errors
    /// It is damaged in a pack: then not even its name is known.
    pub fn look(&self, source: Source) -> anyhow::Result<Looked> {
        let here =
            |digest: &dyn Fn() -> u128| self.args.shard.is_none_or(|shard| shard.has(digest()));
        Ok(match source {
            Source::File(path, kept) => {
                let read = match kept {
                    Some(_) => None,
                    None => JobText::read(&path, self.shared).ok(),
                };
                let text = kept.as_ref().map(|kept| &kept.text).or(read.as_ref());
                let files = text.map(JobText::files).unwrap_or_default();
                let digest = || text.map_or(0, |text| text.digest(&files, self.shared));
                let here = here(&digest);
                let text = kept.or_else(|| Kept::new(read?, &self.room)).filter(|_| here);
                Looked { here, path, text, packed: None, files }
            }
            Source::Packed(pack, job) => {
                let About { name, digest, files } = pack.about(job)?;
                let packed = Some((pack, job));
                Looked { here: here(&|| digest), path: name.into(), text: None, packed, files }
            }
        })
    }

    /// Adds a job; `None` if it belongs to another part.
    pub fn add(&mut self, looked: Looked) -> anyhow::Result<Option<Task>> {
        let Looked { path, text, packed, files, here } = looked;
        let Some(name) = path.to_str().map(str::to_string) else {
            bail!("{}: the path is not UTF-8, as reports are", path.display());
        };
        if !self.seen.insert(name.clone()) {
            bail!("{name} is given twice");
        }
        if !self.args.no_save {
            let file = packed.as_ref().map_or(&*path, |(pack, _)| pack.path());
            self.check(&name, file, &files)?;
        }
        let row = self.seen.len() - 1;
        Ok(here.then_some(Task { path, text, packed, name, row, bytes: files.bytes }))
    }

    /// Refuses a job that is in conflict with itself or with an earlier one. `path` is the file that it is in.
    fn check(&mut self, name: &str, path: &Path, files: &JobFiles) -> anyhow::Result<()> {
        let no_order = |reader: &str, path: &Path, writer: &str| {
            let path = path.display();
            anyhow!(
                "{reader} reads {path}, which {writer} saves: the jobs of a batch have no order"
            )
        };
        for file in &files.writes {
            let real = self.real.of(file);
            if let Some((what, path, _)) = self.own.iter().find(|(.., own)| *own == real) {
                bail!("{name} saves to {what}, {}", path.display());
            }
            if let Some(reader) = self.readers.get(&real) {
                return Err(no_order(reader, file, name));
            }
            // The same file twice in one job is an error of that job.
            if let Some(other) = self.writers.insert(real, name.to_string())
                && other != name
            {
                bail!("{other} and {name} both save to {}", file.display());
            }
        }
        let JobFiles { reads, expected, masks, .. } = files;
        let read = reads.iter().chain(expected).chain(masks).map(PathBuf::as_path);
        for file in std::iter::once(path).chain(read) {
            let real = self.real.of(file);
            match self.writers.get(&real) {
                Some(writer) if writer == name => bail!(
                    "{name} reads and saves {}: it could not be run a second time",
                    file.display()
                ),
                Some(writer) => return Err(no_order(name, file, writer)),
                None => {
                    self.readers.entry(real).or_insert_with(|| name.to_string());
                }
            }
        }
        Ok(())
    }
}

/// The paths that the arguments name: those of a list, or the job files among them.
pub fn paths(
    given: &[PathBuf],
    list: Option<&Path>,
    shared: &SharedFiles,
) -> anyhow::Result<Vec<PathBuf>> {
    let found = found(given, list, shared, &|_| None::<()>)?;
    Ok(found.into_iter().map(|(path, _)| path).collect())
}

/// [`paths`], and what `keep` makes of the texts that are read on the way.
fn found<T: Send>(
    given: &[PathBuf],
    list: Option<&Path>,
    shared: &SharedFiles,
    keep: &(impl Fn(JobText) -> Option<T> + Sync),
) -> anyhow::Result<Vec<(PathBuf, Option<T>)>> {
    match list {
        None => jobs::collect_with(given, shared, keep),
        Some(list) => Ok(read_list(list, shared)?.into_iter().map(|path| (path, None)).collect()),
    }
}

/// The paths in a list: a file, or standard input to its end. A pack is a list of itself.
pub fn read_list(list: &Path, shared: &SharedFiles) -> anyhow::Result<Vec<PathBuf>> {
    if Pack::is(list, shared) {
        return Ok(vec![list.to_path_buf()]);
    }
    let context = || format!("cannot read {}", list.display());
    let bytes = if list == Path::new("-") {
        files::read_from(io::stdin().lock(), MAX_LIST)
    } else {
        jobs::check(shared, "--list", list)?;
        let read = || files::read_from(std::fs::File::open(list)?, MAX_LIST);
        signals::waiting_for(list, read)
    }
    .with_context(context)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        anyhow!("{}: offset {offset:#x}: the list is not UTF-8 text", list.display())
    })?;
    let paths = text.lines().filter(|line| !line.trim().is_empty());
    Ok(paths.map(PathBuf::from).collect())
}

/// The paths that arrive on standard input, one for each line. A thread reads them; it ends with
/// the input, with the first error, or with the process.
pub fn arriving() -> anyhow::Result<Receiver<anyhow::Result<PathBuf>>> {
    let (sender, receiver) = sync_channel(AHEAD);
    let read = move || {
        let mut input = io::stdin().lock();
        for number in 1.. {
            let Some(line) = read_line(&mut input, number).transpose() else { return };
            let last = line.is_err();
            if sender.send(line).is_err() || last {
                return;
            }
        }
    };
    std::thread::Builder::new().spawn(read).context("cannot start threads")?;
    Ok(receiver)
}

/// The path in the next line, counted from 1, that is not blank; `None` at the end of the input.
fn read_line(input: &mut impl BufRead, number: u64) -> anyhow::Result<Option<PathBuf>> {
    let mut bytes = Vec::new();
    let mut line = io::Read::take(&mut *input, MAX_LINE + 1);
    let length = line.read_until(b'\n', &mut bytes).context("cannot read -")?;
    if length as u64 > MAX_LINE {
        bail!("-: line {number}: it is longer than {MAX_LINE} bytes");
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("-: line {number}: the list is not UTF-8 text"))?;
    let path = text.trim_end_matches('\n').trim_end_matches('\r');
    Ok((length != 0).then(|| PathBuf::from(path)))
}
