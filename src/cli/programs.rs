//! Programs as arguments name them: files of any kind, and sources that become executables.

use super::jobs;
use anyhow::{Context, anyhow, bail};
use ctm::array::file;
use ctm::asm::{AsmErrors, assemble};
use ctm::load::{self, Kind, Loaded};
use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Whether a path means standard input or output.
fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a program's file, which may be a pipe too.
pub fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    file::read_from(File::open(file)?, load::MAX_FILE)
}

/// The program in a file: see [`load::load`].
pub fn load(file: &Path, kind: Option<Kind>, index: Option<usize>) -> anyhow::Result<Loaded> {
    let name = file.display().to_string();
    let bytes = read(file).with_context(|| name.clone())?;
    load::load(&bytes, &name, kind, index).map_err(|error| match found(&bytes) {
        Found::Job if kind.is_none() => {
            anyhow!("{name}: found a job, needed a program: {TAKE_JOBS}")
        }
        _ => anyhow::Error::from(error).context(name),
    })
}

/// Whether a file is a job rather than a program: by its ending, or by its content.
#[cfg(feature = "gpu")]
pub fn is_job(file: &Path) -> anyhow::Result<bool> {
    if file.extension().is_some_and(|ending| ending == "toml") {
        return Ok(true);
    }
    if !file.is_file() {
        // What a pipe holds can be read once only.
        return Ok(false);
    }
    let bytes = read(file).with_context(|| file.display().to_string())?;
    Ok(matches!(found(&bytes), Found::Job))
}

/// [`load`]; what got lost on the way is told on standard error.
pub fn load_aloud(file: &Path, kind: Option<Kind>, index: Option<usize>) -> anyhow::Result<Loaded> {
    let loaded = load(file, kind, index)?;
    for note in &loaded.notes {
        eprintln!("{}: note: {note}", file.display());
    }
    Ok(loaded)
}

const TAKE_JOBS: &str = "`ctm run` and `ctm verify` take jobs";

/// What a file is, as far as its content tells.
enum Found {
    Job,
    Program(Kind),
}

fn found(bytes: &[u8]) -> Found {
    match (load::detect(bytes), std::str::from_utf8(bytes)) {
        (Kind::Asm, Ok(text)) if jobs::is_job(text) => Found::Job,
        (kind, _) => Found::Program(kind),
    }
}

/// A source text: from a file, or from standard input.
pub struct Source<'a> {
    file: &'a Path,
    /// The file's name, for messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// The kind that it should have.
    kind: Kind,
}

impl Source<'_> {
    /// Reads a source of a kind; `-` is standard input.
    pub fn read(file: &Path, kind: Kind) -> anyhow::Result<Source<'_>> {
        let name = match is_dash(file) {
            true => "<stdin>".to_string(),
            false => file.display().to_string(),
        };
        let bytes = match is_dash(file) {
            true => file::read_from(std::io::stdin().lock(), load::MAX_FILE),
            false => read(file),
        }
        .with_context(|| name.clone())?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source {
                file,
                name,
                text,
                kind,
            }),
            Err(error) => Err(match mixed_up(&name, error.as_bytes(), kind) {
                Some(error) => error,
                None => anyhow!(
                    "{name}: byte {}: the source is not UTF-8 text",
                    error.utf8_error().valid_up_to()
                ),
            }),
        }
    }

    /// Where the program goes: the output that is given, else the source's name with an ending.
    pub fn output(&self, given: Option<&Path>, ending: &str) -> anyhow::Result<PathBuf> {
        let output = match given {
            Some(output) => output.to_path_buf(),
            None if is_dash(self.file) => {
                bail!("a source from standard input needs an output: add -o FILE or -o -")
            }
            None => self.file.with_extension(ending),
        };
        let real = |path: &Path| path.canonicalize().ok();
        let same = || real(&output).is_some_and(|output| Some(output) == real(self.file));
        let dash = is_dash(self.file) || is_dash(&output);
        if !dash && (output == self.file || same()) {
            bail!(
                "{}: the output would replace the source; name another one with -o",
                self.name
            );
        }
        Ok(output)
    }

    /// What to say of a source with errors, which are told on standard error.
    pub fn failed(&self, errors: &AsmErrors) -> anyhow::Error {
        if let Some(error) = mixed_up(&self.name, self.text.as_bytes(), self.kind) {
            return error;
        }
        eprint!("{}", errors.render(std::io::stderr().is_terminal()));
        let count = errors.errors().len();
        let plural = if count == 1 { "" } else { "s" };
        anyhow!("{}: {count} error{plural}", self.name)
    }
}

/// What to say of a file that is no source of this kind but something else that can be told.
fn mixed_up(name: &str, bytes: &[u8], wanted: Kind) -> Option<anyhow::Error> {
    let needed = match wanted {
        Kind::Ps => "a pixel shader",
        _ => "assembly text",
    };
    let kind = match found(bytes) {
        Found::Job => return Some(anyhow!("{name}: found a job, needed {needed}: {TAKE_JOBS}")),
        Found::Program(kind) => kind,
    };
    let assembles = || {
        let text = std::str::from_utf8(bytes).ok();
        text.is_some_and(|text| assemble(text, name).is_ok())
    };
    let taker = match kind {
        kind if kind == wanted => return None,
        // Anything may be that.
        Kind::Bin => return None,
        Kind::Asm if !assembles() => return None,
        Kind::Asm => "`ctm asm`",
        Kind::Ps => "`ctm compile`",
        Kind::Elf | Kind::Hex | Kind::Mesa => "`ctm disasm`",
    };
    Some(anyhow!(
        "{name}: found a program of kind {}, needed {needed}: {taker} takes it",
        kind.name()
    ))
}

/// Writes a file; `-` is standard output.
pub fn write(output: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_dash(output) {
        return super::print(bytes);
    }
    file::write(output, bytes).with_context(|| output.display().to_string())
}
