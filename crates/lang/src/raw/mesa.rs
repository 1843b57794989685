//! The text of Mesa's `RADEON_DEBUG=fp`: compiler passes, constants, and R500 listings.
//!
//! A log holds one listing per compiled program, after the program's passes. Some passes print the
//! constants that the program then has, before the heading that names the pass. The pass 'dead
//! constants' prints the final constants, or nothing if none are left. Immediates are printed
//! rounded: to four decimals by Mesa 22, to six by Mesa 25.

use super::{RawError, shorten};
use crate::program::{ConstantKind, Image, Literal, UserConstant};
use ctm_base::stop::Stop;
use ctm_isa::isa::{FLOAT_CONSTANTS, MAX_INSTRUCTIONS};
use std::iter::Peekable;

/// The number of lines that are read between two looks at the stop.
const LOOK: usize = 1024;

/// One program of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The program; its immediate constants are its literals.
    pub image: Image,
    /// Its name, if the log names its shaders.
    pub name: Option<String>,
    /// Line of the listing's heading, from 1.
    pub line: usize,
    /// Decimals to which the log rounds the literals; `None` without literals.
    pub decimals: Option<usize>,
    /// Float constants that the log names without a value: they are state of the application.
    pub external: Vec<u32>,
    /// Whether the log ends inside another program, after this one.
    pub cut: bool,
}

/// Follows a log for the names of its shaders. NIR is printed before a program, with `shader:
/// MESA_SHADER_FRAGMENT` and `name: GLSL3`. shader-db prints `NAME - FS shader: 12 inst, ...` after it.
#[derive(Default)]
pub struct ShaderNames {
    is_fragment: bool,
    next: Option<String>,
}

impl ShaderNames {
    /// Processes a line. Returns the name of the last fragment program, if the line has it.
    pub fn line<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        if let Some(stage) = line.strip_prefix("shader: MESA_SHADER_") {
            (self.is_fragment, self.next) = (stage == "FRAGMENT", None);
        } else if let Some(name) = line.strip_prefix("name: ")
            && self.is_fragment
        {
            self.next = Some(name.to_string());
        }
        line.split_once(" - FS shader: ").map(|(name, _)| name)
    }

    /// The name of a fragment program that begins.
    pub fn begin(&mut self) -> Option<String> {
        self.next.take()
    }
}

/// The number of vertex programs in a log.
pub fn vertex_programs(text: &str) -> usize {
    let lines = |heading: &str| text.lines().filter(|line| line.trim() == heading).count();
    lines("Vertex Program: before compilation").max(lines("r300: Initial vertex program"))
}

/// Reads all fragment programs of a log, in their order.
///
/// # Errors
/// A log without a listing, a malformed line in a listing or among constants, or reading was stopped.
pub fn mesa_dumps(text: &str, stop: &Stop) -> Result<Vec<Dump>, RawError> {
    let mut dumps: Vec<Dump> = Vec::new();
    let mut constants = Constants::default();
    let mut names = ShaderNames::default();
    let mut name = None;
    // Whether a fragment program has begun whose listing has not.
    let mut open = false;
    // Whether the lines are of a vertex program.
    let mut vertex = false;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((n, line)) = lines.next() {
        if n.is_multiple_of(LOOK) {
            stop.check()?;
        }
        let line = line.trim();
        if line.starts_with("Vertex Program: ") || line.starts_with("r300: Initial vertex") {
            vertex = true;
        } else if line == HEADING || line == INITIAL || line.starts_with("Fragment Program: ") {
            vertex = false;
        }
        if let (Some(name), Some(last)) = (names.line(line), dumps.last_mut()) {
            last.name.get_or_insert(name.to_string());
        }
        if line == HEADING {
            let words = words(&mut lines)?;
            let dump = std::mem::take(&mut constants).dump(Image::from_words(words), n + 1);
            dumps.push(Dump { name: name.take(), ..dump });
            open = false;
        } else if vertex {
            continue;
        } else if line.starts_with("CONST[") {
            constants.line(n + 1, line)?;
        } else if let Some(pass) = pass(line) {
            constants.after(pass);
        } else if line.ends_with("Program: before compilation") {
            constants = Constants::default();
        }
        if line == INITIAL || line == "Fragment Program: before compilation" && !open {
            name = names.begin();
            open = true;
        }
    }
    match dumps.last_mut() {
        Some(last) => last.cut = open,
        None => {
            return Err(match vertex_programs(text) {
                0 => RawError::NoMesaProgram,
                count => RawError::OnlyVertexPrograms { count },
            });
        }
    }
    Ok(dumps)
}

/// The heading of a listing.
pub const HEADING: &str = "R500 Fragment Program:";

/// The words of the listing after a heading. `lines` are lines of the log, numbered from 0; those of the
/// listing are taken.
pub fn words<'a>(
    lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
) -> Result<Vec<[u32; 6]>, RawError> {
    let mut listing = Listing::default();
    while let Some(&(n, line)) = lines.peek() {
        if !listing.line(n + 1, line)? {
            break;
        }
        lines.next();
    }
    if listing.words.is_empty() { Err(RawError::empty("Mesa listing")) } else { Ok(listing.words) }
}

/// The first line of a fragment program: Gallium's shader follows.
pub const INITIAL: &str = "r300: Initial fragment program";

/// The name of the pass in a heading like `Fragment Program: after 'deadcode'`.
pub fn pass(line: &str) -> Option<&str> {
    line.split_once("Program: after '")?.1.strip_suffix('\'')
}

/// The lines of one listing.
#[derive(Default)]
struct Listing {
    words: Vec<[u32; 6]>,
}

impl Listing {
    /// Processes a line; false if the listing has ended.
    fn line(&mut self, number: usize, line: &str) -> Result<bool, RawError> {
        // Lines of an instruction begin with its number or with a tab. Then the number of the word
        // follows.
        let text = line.trim();
        if text.is_empty() || text.bytes().all(|b| b == b'-') {
            return Ok(true);
        }
        let error = |problem| RawError::Text { line: number, column: None, problem };
        let bad = || {
            error(format!(
                "{:?} is not a word of a Mesa listing, expected a word number from 0 to 5, a name and a word of 8 hexadecimal digits after 0x",
                shorten(text)
            ))
        };
        let mut rest = text;
        if !line.starts_with(char::is_whitespace) {
            let Some((index, tail)) = text.split_once(char::is_whitespace) else {
                return Ok(false);
            };
            let tail = tail.trim_start();
            if !index.bytes().all(|b| b.is_ascii_digit()) || !tail.starts_with("0:CMN_INST") {
                return Ok(false);
            }
            if index.parse() != Ok(self.words.len()) {
                return Err(error(format!(
                    "instruction {} of the Mesa listing, expected instruction {}",
                    shorten(index),
                    self.words.len()
                )));
            }
            if self.words.len() == MAX_INSTRUCTIONS {
                let problem = "instruction 512 of the Mesa listing, expected at most 512 of them";
                return Err(error(problem.into()));
            }
            self.words.push([0; 6]);
            rest = tail;
        }
        let slot = match rest.as_bytes() {
            [digit @ b'0'..=b'5', b':' | b' ', ..] => usize::from(digit - b'0'),
            _ => return Err(bad()),
        };
        let value = rest.split_once("0x").and_then(|(_, tail)| {
            let digits = tail.get(..8)?;
            let ends = !tail[8..].starts_with(|c: char| c.is_ascii_hexdigit());
            super::listing::word(digits).filter(|_| ends)
        });
        let (Some(words), Some(value)) = (self.words.last_mut(), value) else {
            return Err(bad());
        };
        words[slot] = value;
        Ok(true)
    }
}

/// A constant as printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// Its number.
    pub addr: u32,
    /// `None` if the value is state of the application.
    pub value: Option<[f32; 4]>,
    /// The number of decimals in the log.
    pub decimals: usize,
    /// Its name in the application's shader, such as `CONST[3]`, if all its channels are that constant's.
    pub name: Option<String>,
}

/// The constants printed so far for the program in progress.
#[derive(Default)]
struct Constants {
    /// Printed since the last heading of a pass.
    pending: Vec<Printed>,
    /// The program's constants, according to the headings so far.
    known: Vec<Printed>,
}

impl Constants {
    fn line(&mut self, number: usize, line: &str) -> Result<(), RawError> {
        let constant = constant(line).ok_or_else(|| RawError::Text {
            line: number,
            column: None,
            problem: format!(
                "{:?} is not a constant of a Mesa log, expected CONST[n] with n from 0 to 255 and four values in braces",
                shorten(line)
            ),
        })?;
        // A constant number that does not increase begins a new block.
        if self.pending.last().is_some_and(|last| constant.addr <= last.addr) {
            self.pending.clear();
        }
        self.pending.push(constant);
        Ok(())
    }

    /// Handles the heading of a pass. The constants printed before it are those that the pass left.
    fn after(&mut self, pass: &str) {
        if !self.pending.is_empty() || pass == "dead constants" {
            self.known = std::mem::take(&mut self.pending);
        }
    }

    fn dump(mut self, mut image: Image, line: usize) -> Dump {
        if !self.pending.is_empty() {
            self.known = self.pending;
        }
        let mut decimals = None;
        let mut external = Vec::new();
        for constant in self.known {
            match constant.value {
                Some(value) => {
                    decimals = decimals.max(Some(constant.decimals));
                    image.literals.push(Literal {
                        kind: ConstantKind::Float,
                        addr: constant.addr,
                        value: value.map(f32::to_bits),
                    });
                }
                None => {
                    let (kind, addr) = (ConstantKind::Float, constant.addr);
                    let name = constant.name.map(|name| UserConstant { name, kind, addr });
                    image.user_constants.extend(name);
                    external.push(addr);
                }
            }
        }
        Dump { image, name: None, line, decimals, external, cut: false }
    }
}

/// Reads `CONST[n] = { a b c d }`. A value may be `unused`. It may also be a reference to state of
/// the application, with text that runs into its neighbours.
pub fn constant(line: &str) -> Option<Printed> {
    let (addr, values) = line.strip_prefix("CONST[")?.split_once(']')?;
    let addr: u32 = addr.parse().ok()?;
    if addr as usize >= FLOAT_CONSTANTS {
        return None;
    }
    let values = values.trim().strip_prefix('=')?.trim();
    let values = values.strip_prefix('{')?.strip_suffix('}')?;
    if values.contains("CONST[") {
        return Some(Printed { addr, value: None, decimals: 0, name: whole(values) });
    }
    let mut list = values.split_whitespace();
    let mut value = [0.0; 4];
    let mut decimals = 0;
    for channel in &mut value {
        let text = list.next()?;
        if text != "unused" {
            *channel = text.parse().ok()?;
            decimals = decimals.max(text.split_once('.').map_or(0, |(_, tail)| tail.len()));
        }
    }
    list.next().is_none().then_some(Printed { addr, value: Some(value), decimals, name: None })
}

/// The name of the application's constant whose channels the values are, in their places.
fn whole(values: &str) -> Option<String> {
    let values: Vec<&str> = values.split_whitespace().collect();
    let (name, _) = values.iter().find(|value| **value != "unused")?.split_once('.')?;
    let number = name.strip_prefix("CONST[")?.strip_suffix(']')?;
    number.parse().ok().filter(|number: &usize| *number < FLOAT_CONSTANTS)?;
    let fits = |(value, channel): (&&str, char)| {
        *value == "unused" || value.strip_prefix(name) == Some(&format!(".{channel}"))
    };
    (values.len() == 4 && values.iter().zip("xyzw".chars()).all(fits)).then(|| name.to_string())
}
