//! Programs that arguments name: files of any kind, and sources that become executables.

use super::outputs::{Output, Outputs, Writable};
use super::{jobs, signals};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_engine::Stop;
use ctm_jobs::job::{self, JobError, SharedFiles};
use ctm_jobs::load::{self, Kind, LoadError, Loaded, Note};
use ctm_lang::asm::{TextErrors, assemble};
use ctm_lang::program::{Program, Severity};
use std::ffi::OsStr;
use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;

/// Whether a path means standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The program in a file.
#[derive(clap::Args, Clone, Copy)]
pub struct Which {
    /// The kind of the program. Default: detected from its content
    #[arg(long, value_parser = super::values::kind_parser())]
    pub kind: Option<Kind>,
    /// Index of the program in a file with several, such as a Mesa log, counted from 0. Default:
    /// the last
    #[arg(long, value_name = "N")]
    pub index: Option<usize>,
}

/// The bytes of a program's file, which may be a pipe, or of another file that an argument names.
/// `shared` may confine the command to a folder.
pub fn read(file: &Path, shared: &SharedFiles) -> anyhow::Result<Vec<u8>> {
    jobs::check_argument(shared, file)?;
    let bytes = || files::read_from(File::open(file)?, load::MAX_FILE);
    signals::waiting_for(file, bytes).with_context(|| file.display().to_string())
}

/// The programs in a file: the one at `index`, or all.
pub fn load(
    file: &Path,
    kind: Option<Kind>,
    index: Option<usize>,
    shared: &SharedFiles,
    stop: &Stop,
) -> anyhow::Result<Vec<Loaded>> {
    let mut all = loaded(file, kind, shared, |bytes, name| match index {
        Some(_) => load::load(bytes, name, kind, index, stop).map(|one| vec![one]),
        None => load::load_all(bytes, name, kind, stop),
    })?;
    all.iter_mut().for_each(|one| shared.confine(&mut one.image));
    Ok(all)
}

/// Loads a file with `load`.
fn loaded<T>(
    file: &Path,
    kind: Option<Kind>,
    shared: &SharedFiles,
    load: impl FnOnce(&[u8], &str) -> Result<T, LoadError>,
) -> anyhow::Result<T> {
    let name = file.display().to_string();
    let bytes = read(file, shared)?;
    load(&bytes, &name).map_err(|error| {
        if says_job(file, kind).unwrap_or_else(|| looks_like_job(&bytes)) {
            anyhow!("{name}: found a job, needed a program: {TAKE_JOBS}")
        } else {
            anyhow::Error::from(error).context(name)
        }
    })
}

/// Whether the kind that the user gives, or else the extension, says that a file is a job; `None` if only
/// the content can tell.
fn says_job(file: &Path, kind: Option<Kind>) -> Option<bool> {
    let kind = kind.or_else(|| Kind::of_name(&file.to_string_lossy()));
    match file.extension().and_then(OsStr::to_str) {
        _ if kind.is_some() => Some(false),
        Some("toml") => Some(true),
        Some("rec") => Some(false),
        _ => None,
    }
}

/// Whether a file is a job rather than a program: the kind that the user gives says it, or its extension,
/// or else its content.
pub fn is_job(file: &Path, kind: Option<Kind>, shared: &SharedFiles) -> anyhow::Result<bool> {
    if let Some(said) = says_job(file, kind) {
        return Ok(said);
    }
    if !file.is_file() {
        // A pipe can be read only once.
        return Ok(false);
    }
    Ok(looks_like_job(&read(file, shared)?))
}

/// The program in a file: see [`load::load`]. Prints to standard error which of several programs it
/// is, and what was lost in loading it.
pub fn load_aloud(
    file: &Path,
    Which { kind, index }: Which,
    shared: &SharedFiles,
    stop: &Stop,
) -> anyhow::Result<Loaded> {
    let load = |bytes: &[u8], name: &str| load::load(bytes, name, kind, index, stop);
    let mut loaded = loaded(file, kind, shared, load)?;
    shared.confine(&mut loaded.image);
    let which = loaded.which().map(|which| match index {
        None => format!("this is {which}; --index chooses another"),
        Some(_) => format!("this is {which}"),
    });
    let of_file = which.into_iter().map(|text| Note { severity: Severity::Note, mark: None, text });
    for note in of_file.chain(loaded.notes.iter().cloned()) {
        super::tell(format_args!("{}: {}: {note}", file.display(), note.severity));
    }
    Ok(loaded)
}

const TAKE_JOBS: &str = "`ctm run` and `ctm verify` take jobs";

/// Whether a file is a job, judged by its content.
fn looks_like_job(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(job::is_job) && load::detect(bytes) == Kind::Asm
}

/// A source text: from a file, or from standard input.
pub struct Source<'a> {
    file: &'a Path,
    /// The name, for messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// The kind that the caller expects.
    kind: Kind,
}

impl Source<'_> {
    /// Reads a source of a kind; `-` is standard input.
    pub fn read(file: &Path, kind: Kind) -> anyhow::Result<Source<'_>> {
        let (name, bytes) = if is_dash(file) {
            let bytes = files::read_from(std::io::stdin().lock(), load::MAX_FILE);
            ("<stdin>".to_string(), bytes.context("<stdin>")?)
        } else {
            (file.display().to_string(), read(file, &SharedFiles::new())?)
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            mixed_up(file, &name, error.as_bytes(), kind)
                .unwrap_or_else(|| anyhow!("{name}: byte {at}: the source is not UTF-8 text"))
        })?;
        Ok(Source { file, name, text, kind })
    }

    /// The output of the program: the given one, else the source's name with the extension
    /// `ending`.
    pub fn output(
        &self,
        given: Option<&Output>,
        ending: &str,
        outputs: &mut Outputs<'_>,
    ) -> anyhow::Result<Writable> {
        let output = match given {
            Some(output) => output.clone(),
            None if is_dash(self.file) => {
                bail!("a source from standard input needs an output: add -o FILE or -o -")
            }
            None => self.file.with_extension(ending).into(),
        };
        outputs.reads(self.file);
        outputs.stream("-o", &output)
    }

    /// The error for a source with errors, after printing those to standard error.
    pub fn failed(&self, errors: &TextErrors) -> anyhow::Error {
        if let Some(error) = mixed_up(self.file, &self.name, self.text.as_bytes(), self.kind) {
            return error;
        }
        let color = colors_on(std::io::stderr().is_terminal());
        super::output::tell_colored(&errors.render(color), color);
        let count = errors.errors().len();
        let errors = match count {
            1 => "error",
            TextErrors::LIMIT => "errors, and perhaps more",
            _ => "errors",
        };
        anyhow!("{}: {count} {errors}", self.name)
    }
}

/// The errors of sources, if a program or a job cannot be read for these.
pub fn source_errors(error: &anyhow::Error) -> &[TextErrors] {
    let mut found = error.chain().map(|cause| match cause.downcast_ref::<LoadError>() {
        Some(LoadError::Asm(errors)) => std::slice::from_ref(errors),
        _ => cause.downcast_ref::<JobError>().map_or(&[][..], JobError::source_errors),
    });
    found.find(|errors| !errors.is_empty()).unwrap_or_default()
}

/// Whether output is coloured; `terminal`: whether it goes to one.
pub fn colors_on(terminal: bool) -> bool {
    colors(terminal, std::env::var_os("NO_COLOR").as_deref())
}

/// Whether output is coloured: on a terminal, unless the variable NO_COLOR is set and not empty
/// (no-color.org).
fn colors(terminal: bool, no_color: Option<&OsStr>) -> bool {
    terminal && no_color.is_none_or(OsStr::is_empty)
}

/// Prints the warnings of a program made from a source.
pub fn warn(name: &str, program: &Program) {
    for warning in program.warnings() {
        super::tell(format_args!("{name}: warning: {warning}"));
    }
}

/// The error for a file that is not a source of the expected kind but is recognisably something else.
fn mixed_up(file: &Path, name: &str, bytes: &[u8], expected: Kind) -> Option<anyhow::Error> {
    let needed = match expected {
        Kind::Ps | Kind::Glsl | Kind::Wgsl => "a shader",
        _ => "assembly text",
    };
    if bytes.starts_with(&load::RECORDING) {
        return Some(anyhow!("{name}: {}", load::IS_RECORDING));
    }
    // Only an extension or an option says that a source is a shader.
    let shader = matches!(expected, Kind::Glsl | Kind::Wgsl).then_some(expected);
    if says_job(file, shader).unwrap_or_else(|| looks_like_job(bytes)) {
        return Some(anyhow!("{name}: found a job, needed {needed}: {TAKE_JOBS}"));
    }
    let kind = load::detect(bytes);
    let assembles = || {
        let text = std::str::from_utf8(bytes).ok();
        text.is_some_and(|text| assemble(text, name).is_ok())
    };
    let taker = match kind {
        kind if kind == expected => return None,
        // Any bytes may be a raw binary.
        Kind::Bin => return None,
        Kind::Asm if !assembles() => return None,
        Kind::Asm => "`ctm asm`",
        Kind::Ps | Kind::Glsl | Kind::Wgsl => "`ctm compile`",
        Kind::Elf | Kind::Hex | Kind::Mesa => "`ctm disasm`",
    };
    let kind = kind.name();
    Some(anyhow!("{name}: found a program of kind {kind}, needed {needed}: {taker} takes it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_is_honoured_on_a_terminal() {
        for (terminal, no_color, color) in [
            (true, None, true),
            (true, Some(""), true),
            (true, Some("1"), false),
            (true, Some("0"), false),
            (false, None, false),
            (false, Some(""), false),
        ] {
            let found = colors(terminal, no_color.map(OsStr::new));
            assert_eq!(found, color, "{terminal}, {no_color:?}");
        }
    }
}
