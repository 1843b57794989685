//! Program files of any kind: [`ctm_lang::load`], and sources, which [`ctm_compiler`] compiles.

#[cfg(feature = "compiler")]
use ctm_base::clock::Instant;
use ctm_base::stop::Stop;
#[cfg(feature = "compiler")]
use ctm_compiler::{Language, Level, Options, compile_within};
use ctm_lang::load as files;
pub use ctm_lang::load::{
    EXECUTABLE, IS_RECORDING, Kind, LoadError, Loaded, MAX_FILE, Note, RECORDING, detect,
};

/// Loads a program from a file's bytes: see [`ctm_lang::load::load`]. `kind` or the name says that it is GLSL or WGSL.
///
/// # Errors
/// The file is malformed for its kind, has no program of this index, or loading was stopped.
pub fn load(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    index: Option<usize>,
    stop: &Stop,
) -> Result<Loaded, LoadError> {
    load_with(bytes, name, kind, index, &Shader::default(), stop)
}

/// Options of the compilation of a shader.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// By exact rules only.
    pub precise: bool,
    /// The effort to make the program good: 0 none, 1 the usual one, 2 a search.
    pub level: u8,
    /// The samplers that interpolate.
    pub linear: &'a [String],
}

impl Default for Shader<'_> {
    fn default() -> Self {
        Shader { precise: false, level: 1, linear: &[] }
    }
}

/// [`load`], with what a shader needs.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    index: Option<usize>,
    options: &Shader<'_>,
    stop: &Stop,
) -> Result<Loaded, LoadError> {
    match (shader(bytes, name, kind, options, stop), index) {
        (None, _) => files::load(bytes, name, kind.or_else(|| Kind::of_name(name)), index, stop),
        (Some(_), Some(index)) if index > 0 => Err(LoadError::Index { index, count: 1 }),
        (Some(loaded), _) => loaded,
    }
}

/// Loads all programs of a file, in their order: see [`load`].
///
/// # Errors
/// The file is malformed for its kind, or loading was stopped.
pub fn load_all(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    stop: &Stop,
) -> Result<Vec<Loaded>, LoadError> {
    match shader(bytes, name, kind, &Shader::default(), stop) {
        None => files::load_all(bytes, name, kind.or_else(|| Kind::of_name(name)), stop),
        Some(loaded) => Ok(vec![loaded?]),
    }
}

#[cfg(feature = "compiler")]
fn shader(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    options: &Shader<'_>,
    stop: &Stop,
) -> Option<Result<Loaded, LoadError>> {
    let kind = kind.or_else(|| Kind::of_name(name)).unwrap_or_else(|| detect(bytes));
    let language = match kind {
        Kind::Glsl => Language::Glsl,
        Kind::Wgsl => Language::Wgsl,
        Kind::Ps => Language::Ps,
        Kind::Asm | Kind::Elf | Kind::Hex | Kind::Bin | Kind::Mesa => return None,
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Some(Err(LoadError::NotText { offset: error.valid_up_to(), kind })),
    };
    let Shader { precise, level, linear } = *options;
    let level = match level {
        0 => Level::Unoptimized,
        1 => Level::Usual,
        _ => Level::Search,
    };
    let options = Options { precise, linear: linear.to_vec(), level, ..Options::default() };
    let started = Instant::now();
    let compiled = match compile_within(text, name, language, &options, stop) {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(errors)) => return Some(Err(errors.into())),
        Err(why) => return Some(Err(why.into())),
    };
    Some(Ok(Loaded {
        image: compiled.image,
        kind,
        programs: 1,
        index: 0,
        name: None,
        vertex_programs: 0,
        notes: compiled.notes,
        compile: started.elapsed(),
        passes: compiled.times,
    }))
}

#[cfg(not(feature = "compiler"))]
fn shader(
    _: &[u8],
    _: &str,
    _: Option<Kind>,
    _: &Shader<'_>,
    _: &Stop,
) -> Option<Result<Loaded, LoadError>> {
    None
}
