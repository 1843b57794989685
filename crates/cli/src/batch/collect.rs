//! `ctm batch --collect`: one array with an output of every job. Its first axis is that of the jobs, in the
//! order of the list.
//!
//! Rows are written as their jobs end, before their lines in the report: a row whose job has a line
//! is complete.
// The array grows row by row; its path comes from `Outputs`.
#![allow(clippy::disallowed_methods)]

use super::super::outputs::{Output, Writable};
use anyhow::{Context, bail};
use ctm_jobs::array::{Array, npy};
use ctm_jobs::job::{Job, JobResult};
use parking_lot::Mutex;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};

/// The array.
pub struct Collect<'a> {
    to: &'a Writable,
    /// The output that is gathered: its name or number; the first one without it.
    output: Option<String>,
    /// The number of rows.
    jobs: usize,
    /// The file and its header, once a job has shown its form.
    open: Mutex<Option<(File, Vec<u8>)>>,
}

impl<'a> Collect<'a> {
    /// The array for the jobs of a list; `resume`: it may be there already.
    pub fn new(
        to: &'a Writable,
        output: Option<String>,
        jobs: usize,
        resume: bool,
    ) -> anyhow::Result<Collect<'a>> {
        if !resume {
            super::report::must_be_new(to, "use --resume to continue it, or ")?;
        }
        Ok(Collect { to, output, jobs, open: Mutex::default() })
    }

    /// The output and the file of `NAME=OUT.npy`, or the file alone.
    pub fn of(given: &Output) -> (Option<String>, Output) {
        match given.named() {
            Some((name, file)) => (Some(name.to_string()), file),
            None => (None, given.clone()),
        }
    }

    /// Writes the row of a job.
    pub fn put(&self, row: usize, job: &Job, result: &JobResult) -> anyhow::Result<()> {
        let raster = result.raster(self.buffer(job)?)?;
        let array = raster.into_array();
        let path = self.to.path().display();
        let shape: Vec<usize> = std::iter::once(self.jobs).chain(array.shape.clone()).collect();
        let header = npy::header(array.dtype, &shape)?;
        let bytes = npy::bytes(&array);
        let mut open = self.open.lock();
        let (file, known) = match &mut *open {
            Some(open) => open,
            closed => closed.insert((self.open(&header, bytes.len())?, header.clone())),
        };
        if *known != header {
            bail!("{path}: the output of this job is {}, others differ", Array::describe(&array));
        }
        let at = header.len() as u64 + row as u64 * bytes.len() as u64;
        let written = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(&bytes));
        written.with_context(|| format!("cannot write {path}"))
    }

    /// The index of the buffer of a job that is gathered.
    fn buffer(&self, job: &Job) -> anyhow::Result<usize> {
        let Some(name) = &self.output else {
            let first = job.buffers.iter().position(|buffer| buffer.is_output());
            return first.context("the job has no output");
        };
        let found = job.buffer(name).or_else(|| job.buffer(&format!("output {name}")));
        found.with_context(|| {
            let outputs = job.buffers.iter().filter(|buffer| buffer.is_output());
            let names: Vec<&str> = outputs.map(|buffer| buffer.name.as_str()).collect();
            format!("--collect: there is no output {name}: the job has {}", names.join(", "))
        })
    }

    /// Opens the file. A new one gets its whole size; rows that nothing is written to are 0.
    fn open(&self, header: &[u8], row: usize) -> anyhow::Result<File> {
        let path = self.to.path();
        let context = || format!("cannot write {}", path.display());
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(context)?;
        if file.metadata().with_context(context)?.len() == 0 {
            file.write_all(header).with_context(context)?;
        } else {
            let mut start = vec![0; header.len()];
            if file.read_exact(&mut start).is_err() || start != header {
                bail!(
                    "{}: it is not the array of these jobs: remove it to start again",
                    path.display()
                );
            }
        }
        // Also of one that was begun where there was no room.
        let size = header.len() as u64 + self.jobs as u64 * row as u64;
        file.set_len(size).with_context(context)?;
        Ok(file)
    }
}
