//! The parts of a `ctm.Program`: a source, its kind, registers; the verified program.

use crate::arguments;
use crate::error::Fail;
use crate::given;
use crate::result::warn;
use ctm::load::{Kind, MAX_FILE, Note};
use ctm::program::{Image, Program, Registers, Sharing};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes and the name of a source: text, bytes, or the path of a file.
pub fn source(value: &Bound<'_, PyAny>) -> PyResult<(Vec<u8>, String)> {
    let of = |bytes: &[u8]| match bytes.len() as u64 {
        0..=MAX_FILE => Ok((bytes.to_vec(), "program".to_string())),
        count => {
            let text = format!("found {count} bytes, needed at most {MAX_FILE}");
            Err(Fail::of_key("source", text).into())
        }
    };
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return of(bytes.as_bytes());
    }
    let path = match value.cast::<PyString>() {
        Ok(text) => {
            let text = text.to_string_lossy();
            // A program has at least two words, and a path rarely has a blank.
            let is_path = !text.contains('\n')
                && (Path::new(&*text).is_file()
                    || !text.contains(char::is_whitespace) && !text.is_empty());
            if !is_path {
                return of(text.as_bytes());
            }
            PathBuf::from(&*text)
        }
        Err(_) => given::source(value)?,
    };
    let name = path.display().to_string();
    let bytes = ctm::files::read(&path, MAX_FILE)
        .map_err(|error| Fail::new(format!("cannot read {name}: {error}")))?;
    Ok((bytes, name))
}

/// The kind of program file with this name.
pub fn kind(name: &str) -> std::result::Result<Kind, Fail> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names = Kind::ALL.map(Kind::name).join(", ");
        Fail::of_key("kind", format!("\"{name}\": expected one of {names}"))
    })
}

/// Sets the registers that the caller gives.
pub fn set_registers(image: &mut Image, given: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    for (name, value) in given::items("registers", given)? {
        let key = arguments::key_of("registers", &name);
        let word = given::word(&key, &value)?;
        let name = name.to_string();
        let known = Registers::NAMES.into_iter().zip(image.registers.words_mut());
        match known.into_iter().find(|(known, _)| *known == name) {
            Some((_, register)) => *register = word,
            None if name == Sharing::NAME => image.sharing = Some(Sharing(word)),
            None => {
                let names = Registers::NAMES.join(", ");
                let text =
                    format!("there is no such register: expected {names} or {}", Sharing::NAME);
                return Err(Fail::of_key(&key, text).into());
            }
        }
    }
    Ok(())
}

/// A verified program, and the warnings of the verifier and of its reader, of which Python is warned.
pub fn verified(
    py: Python<'_>,
    image: Image,
    notes: &[Note],
) -> PyResult<(Arc<Program>, Vec<String>)> {
    let program = Program::new(image).map_err(Fail::from)?;
    let mut warnings: Vec<String> = program.warnings().iter().map(ToString::to_string).collect();
    warnings.extend(notes.iter().map(ToString::to_string));
    warn(py, &warnings)?;
    Ok((Arc::new(program), warnings))
}
