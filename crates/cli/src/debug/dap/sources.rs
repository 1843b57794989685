//! The sources of a job's programs, as an editor names them: files, and listings of programs that
//! have none.

use super::bodies;
use super::requests::Source;
use anyhow::{Context, bail};
use ctm_inspect::debug::Location;
use ctm_lang::program::{Image, SourceFile};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The programs of a job.
pub struct Sources<'p> {
    images: Vec<&'p Image>,
}

/// One source.
pub enum Which<'p> {
    /// A file that instructions come from.
    File(&'p SourceFile),
    /// The listing of a program without lines: instruction N is on line N + 1.
    Listing(usize),
}

/// The path that an editor opens.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}

impl<'p> Sources<'p> {
    pub fn new(images: Vec<&'p Image>) -> Sources<'p> {
        Sources { images }
    }

    fn files(&self) -> impl Iterator<Item = &'p SourceFile> {
        self.images.iter().filter_map(|image| image.source.get()).flat_map(|map| &map.files)
    }

    fn file(file: &SourceFile) -> bodies::Source {
        let path = absolute(Path::new(&file.path));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let path = Some(path.to_string_lossy().into_owned());
        bodies::Source { name, path, source_reference: None }
    }

    fn listing(n: usize) -> bodies::Source {
        let name = Some(format!("program {n}"));
        bodies::Source { name, path: None, source_reference: Some(n + 1) }
    }

    /// The place of an instruction: source, line, column, from 1.
    pub fn place(&self, image: &Image, pc: u32) -> (bodies::Source, u32, u32) {
        match image.location(pc) {
            Some(at) => (Sources::file(at.file), at.line, at.column),
            None => {
                let n = self.images.iter().position(|known| std::ptr::eq(*known, image));
                (Sources::listing(n.unwrap_or_default()), pc + 1, 1)
            }
        }
    }

    /// All sources, each once.
    pub fn all(&self) -> Vec<bodies::Source> {
        let mut all = Vec::new();
        for file in self.files().map(Sources::file) {
            if !all.contains(&file) {
                all.push(file);
            }
        }
        let bare = self.images.iter().enumerate().filter(|(_, image)| image.location(0).is_none());
        all.extend(bare.map(|(n, _)| Sources::listing(n)));
        all
    }

    /// The source that a client means.
    pub fn find(&self, source: &Source) -> anyhow::Result<Which<'p>> {
        let number = source.source_reference;
        if number > 0 {
            let n = number as usize - 1;
            let there = self.images.get(n).map(|_| Which::Listing(n));
            return there.with_context(|| format!("there is no source {number}"));
        }
        let Some(path) = &source.path else {
            bail!("source: it has no path and no sourceReference");
        };
        let wanted = absolute(path);
        let found = self.files().find(|file| absolute(Path::new(&file.path)) == wanted);
        let missing = || format!("{}: no program of the job comes from it", path.display());
        found.map(Which::File).with_context(missing)
    }

    /// The lines of a source that have instructions, each with its first one.
    pub fn lines(&self, which: &Which<'_>) -> BTreeMap<u32, u32> {
        let mut lines = BTreeMap::new();
        match which {
            Which::Listing(n) => {
                lines.extend((0..self.images[*n].words.len() as u32).map(|pc| (pc + 1, pc)));
            }
            Which::File(file) => {
                for image in &self.images {
                    for pc in 0..image.words.len() as u32 {
                        let own = image.locations(pc).filter(|at| at.file.path == file.path);
                        own.for_each(|at| {
                            lines.entry(at.line).or_insert(pc);
                        });
                    }
                }
            }
        }
        lines
    }

    /// The first line with an instruction from a line on, as a place to stop at.
    pub fn place_from(&self, which: &Which<'_>, line: u32) -> Option<(Location, u32)> {
        let lines = self.lines(which);
        let (&line, &pc) = lines.range(line..).next()?;
        let place = match which {
            Which::File(file) => Location::Line(Some(file.path.clone()), line),
            Which::Listing(_) => Location::Pc(pc),
        };
        Some((place, line))
    }

    /// The text of a source.
    pub fn text<'a>(&self, which: &Which<'a>) -> anyhow::Result<Cow<'a, str>> {
        match which {
            Which::File(file) => {
                let gone = || format!("{} is gone or has changed", file.path);
                file.text().map(|text| text.as_str().into()).with_context(gone)
            }
            Which::Listing(n) => {
                let image = self.images[*n];
                let line = |words| ctm_lang::asm::line(words, image.sharing) + "\n";
                let lines = image.words.iter().map(line);
                Ok(lines.collect::<String>().into())
            }
        }
    }
}
