//! The program of a pass: its file, and what only programs without a container take.

use super::error::{JobError, Problem};
use super::parse::Loader;
use super::table::Node;
use crate::program::{Image, Program, Registers};
use std::path::PathBuf;
use std::sync::Arc;

/// Largest program file that is read; a Mesa log may hold many programs.
const MAX_FILE: u64 = 256 << 20;

const REGISTERS: &[&str] = &[
    "US_CONFIG",
    "US_PIXSIZE",
    "US_FC_CTRL",
    "US_CODE_ADDR",
    "US_CODE_RANGE",
    "US_CODE_OFFSET",
    "US_W_FMT",
];

/// Reads `program`: loads the file, applies the registers, verifies.
pub fn program(loader: &Loader<'_>, node: &Node<'_>) -> Result<(PathBuf, Arc<Program>), JobError> {
    let table = node.table(&["file", "kind", "index", "umrt", "registers"])?;
    let file = table.need("file")?;
    let kind = table
        .get("kind")
        .map(|node| node.choice(&KINDS))
        .transpose()?;
    let index = table
        .get("index")
        .map(|node| node.unsigned(0, u32::MAX))
        .transpose()?;
    let (path, bytes) = loader.read(&file, MAX_FILE)?;
    let fail = |error: String| {
        file.error(Problem::Program {
            path: path.clone(),
            error,
        })
    };
    let (mut image, has_container) = load(&bytes, kind, index).map_err(&fail)?;
    if has_container && let Some(node) = table.get("umrt").or_else(|| table.get("registers")) {
        return Err(node.error(Problem::Container { path }));
    }
    if let Some(node) = table.get("umrt") {
        image.umrt = node.boolean()?;
    }
    if let Some(node) = table.get("registers") {
        let table = node.table(REGISTERS)?;
        let read = |key, register: &mut u32| -> Result<(), JobError> {
            if let Some(node) = table.get(key) {
                *register = node.unsigned(0, u32::MAX)?;
            }
            Ok(())
        };
        let r: &mut Registers = &mut image.registers;
        read("US_CONFIG", &mut r.us_config)?;
        read("US_PIXSIZE", &mut r.us_pixsize)?;
        read("US_FC_CTRL", &mut r.us_fc_ctrl)?;
        read("US_CODE_ADDR", &mut r.us_code_addr)?;
        read("US_CODE_RANGE", &mut r.us_code_range)?;
        read("US_CODE_OFFSET", &mut r.us_code_offset)?;
        read("US_W_FMT", &mut r.us_w_fmt)?;
    }
    let program = Program::new(image).map_err(|errors| {
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        fail(texts.join("; "))
    })?;
    Ok((path, Arc::new(program)))
}

// Until crate::load exists.
const KINDS: [(&str, ()); 1] = [("hex", ())];

fn load(bytes: &[u8], _kind: Option<()>, _index: Option<u32>) -> Result<(Image, bool), String> {
    let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
    let mut words = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let row: Result<Vec<u32>, _> = line
            .split_whitespace()
            .map(|w| u32::from_str_radix(w, 16))
            .collect();
        let row = row.map_err(|e| format!("line {}: {e}", n + 1))?;
        if row.is_empty() {
            continue;
        }
        words.push(<[u32; 6]>::try_from(row).map_err(|_| format!("line {}: six words", n + 1))?);
    }
    Ok((Image::from_words(words), false))
}
