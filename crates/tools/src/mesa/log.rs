//! A log of `RADEON_DEBUG=fp`: its fragment programs, their passes and their declarations.
//!
//! Listings of vertex programs are skipped. So are lines that belong to no listing: a log holds
//! whatever the logged process printed.

use super::listing::Line;
use super::parse::{self, ListingError};
use ctm_lang::raw::{self, PrintedConstant};

/// The semantic of an input or an output in its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Semantic {
    /// COLOR\[n\].
    Color(u16),
    /// FACE.
    Face,
    /// GENERIC\[n\], TEXCOORD\[n\] or PCOORD.
    Generic(u16),
    /// FOG.
    Fog,
    /// POSITION: of an output, its depth.
    Position,
    /// Anything else.
    Other,
}

/// A program after a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The name of the pass; the first is "before compilation".
    pub name: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// Its listing, or why it cannot be interpreted.
    pub listing: Result<Vec<Line>, ListingError>,
    /// The text of its listing: one entry for each instruction.
    pub text: Vec<String>,
    /// The constants printed before the heading: those that the pass left.
    pub constants: Vec<PrintedConstant>,
}

/// Machine code: six words for each instruction.
pub type Words = Vec<[u32; 6]>;

/// A fragment program of a log.
#[derive(Clone, Debug, Default)]
pub struct Logged {
    /// Its name, if the log names its shaders.
    pub name: Option<String>,
    /// The line where it begins, from 1.
    pub line: usize,
    /// Its declared inputs.
    pub inputs: Vec<(u16, Semantic)>,
    /// Its declared outputs.
    pub outputs: Vec<(u16, Semantic)>,
    /// The number of its constants that are state of the application.
    pub states: u16,
    /// Its immediate constants, as declared, rounded.
    pub immediates: Vec<[f32; 4]>,
    /// Its passes, in their order.
    pub passes: Vec<Pass>,
    /// The line of its machine code's heading, and the code or why it cannot be read.
    pub code: Option<(usize, Result<Words, String>)>,
}

/// The part of a log that lines belong to.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    /// Declarations of a program.
    Head,
    /// A listing of the last pass.
    Listing,
    /// Something else.
    Other,
}

/// The programs of a log, in their order. Empty if the text is not such a log.
pub fn read(text: &str) -> Vec<Logged> {
    let mut programs: Vec<Logged> = Vec::new();
    let mut part = Section::Other;
    let mut names = raw::ShaderNames::default();
    let mut listing: Vec<(usize, &str)> = Vec::new();
    let mut pending: Vec<PrintedConstant> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((n, line)) = lines.next() {
        let (number, trimmed) = (n + 1, line.trim());
        if let (Some(name), Some(last)) = (names.line(trimmed), programs.last_mut()) {
            last.name.get_or_insert(name.to_string());
        }
        let heading = trimmed.strip_prefix("Fragment Program: ");
        let other = ["Vertex Program: ", "r300: Initial vertex", "Final vertex program"];
        let initial = trimmed == raw::MESA_INITIAL;
        let code = trimmed == raw::MESA_HEADING;
        let ends = initial || code || heading.is_some() || trimmed.starts_with("CONST[");
        if ends || other.iter().any(|other| trimmed.starts_with(other)) {
            finish(&mut programs, &mut listing);
            part = Section::Other;
        }
        if initial {
            let name = names.begin();
            programs.push(Logged { name, line: number, ..Logged::default() });
            pending.clear();
            part = Section::Head;
        } else if let Some(heading) = heading {
            let name = raw::mesa_pass(trimmed).unwrap_or(heading);
            let begun = programs.last().is_some_and(|program| program.passes.is_empty());
            if programs.is_empty() || name == "before compilation" && !begun {
                let name = names.begin();
                programs.push(Logged { name, line: number, ..Logged::default() });
                pending.clear();
            }
            if let Some(program) = programs.last_mut() {
                program.passes.push(Pass {
                    name: name.to_string(),
                    line: number,
                    listing: Ok(Vec::new()),
                    text: Vec::new(),
                    constants: std::mem::take(&mut pending),
                });
                part = Section::Listing;
            }
        } else if code {
            let words = raw::mesa_words(&mut lines).map_err(|error| error.to_string());
            if let Some(program) = programs.last_mut().filter(|program| program.code.is_none()) {
                program.code = Some((number, words));
            }
        } else if let Some(constant) = raw::mesa_constant(trimmed) {
            // A number that does not increase begins a new block.
            if pending.last().is_some_and(|last| constant.addr <= last.addr) {
                pending.clear();
            }
            pending.push(constant);
        } else if part == Section::Head {
            if let Some(program) = programs.last_mut() {
                program.declaration(trimmed);
            }
        } else if part == Section::Listing
            && (parse::numbered(line).is_some()
                || line.starts_with(' ') && !listing.is_empty() && !trimmed.is_empty())
        {
            listing.push((number, line));
        }
    }
    // Nothing says that a listing is whole if the log ends with it.
    let last = listing.last().filter(|(number, _)| *number == text.lines().count());
    let last = last.map(|(number, line)| ListingError {
        line: *number,
        token: line.trim().chars().take(40).collect(),
        expected: "machine code after the last listing (cut off?)".into(),
    });
    finish(&mut programs, &mut listing);
    if let (Some(error), Some(program)) = (last, programs.last_mut())
        && program.code.is_none()
        && let Some(pass) = program.passes.last_mut()
    {
        pass.listing = Err(error);
    }
    programs.retain(|program| !program.passes.is_empty());
    programs
}

/// Ends the listing of the last pass.
fn finish(programs: &mut [Logged], lines: &mut Vec<(usize, &str)>) {
    let pass = programs.last_mut().and_then(|program| program.passes.last_mut());
    if let Some(pass) = pass.filter(|_| !lines.is_empty()) {
        pass.listing = parse::listing(lines);
        for (_, line) in lines.iter() {
            match (parse::numbered(line), pass.text.last_mut()) {
                (None, Some(last)) => {
                    last.push('\n');
                    last.push_str(line.trim_end());
                }
                (text, _) => pass.text.push(text.unwrap_or(line).trim_end().to_string()),
            }
        }
    }
    lines.clear();
}

impl Logged {
    /// A line like `DCL OUT[0], COLOR[2]`, `DCL CONST[0][0..1]` or `IMM[0] FLT32 { ... }`.
    fn declaration(&mut self, line: &str) {
        if let Some(values) = line.strip_prefix("IMM[").and_then(|rest| rest.split_once("FLT32")) {
            let values = values.1.trim().trim_start_matches('{').trim_end_matches('}');
            let mut values = values.split(',').map(|value| value.trim().parse().unwrap_or(0.0));
            self.immediates.push([(); 4].map(|()| values.next().unwrap_or(0.0)));
            return;
        }
        let Some(declared) = line.strip_prefix("DCL ") else {
            return;
        };
        let (register, rest) = declared.split_once(',').unwrap_or((declared, ""));
        let (file, indices) = register.split_once('[').unwrap_or((register, ""));
        // The last pair of brackets has the number, or a range of numbers.
        let indices = indices.rsplit('[').next().unwrap_or("");
        let indices = indices.split(']').next().unwrap_or("");
        let last = indices.rsplit("..").next().and_then(|n| n.parse::<u16>().ok());
        let Some(index) = last.filter(|&n| n < 4096) else {
            return;
        };
        let semantic = rest.trim().split(',').next().unwrap_or("");
        let (name, number) = semantic.split_once('[').unwrap_or((semantic, ""));
        let number = number.trim_end_matches(']').parse().unwrap_or(0);
        let semantic = match name {
            "COLOR" | "BCOLOR" => Semantic::Color(number),
            "FACE" => Semantic::Face,
            "GENERIC" | "TEXCOORD" | "PCOORD" => Semantic::Generic(number),
            "FOG" => Semantic::Fog,
            "POSITION" => Semantic::Position,
            _ => Semantic::Other,
        };
        match file {
            "IN" => self.inputs.push((index, semantic)),
            "OUT" => self.outputs.push((index, semantic)),
            "CONST" => self.states = self.states.max(index + 1),
            _ => {}
        }
    }
}
