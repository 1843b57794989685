//! What the checks have found, in words.

use super::cause::Cause;
use super::constants::Key as ConstantKey;
use super::hits::{Hit, Hits};
use super::points::Key as PointKey;
use super::races::{Access, RaceHits, Through};
use super::reads::first_out;
use super::stale::Rule;
use super::uninitialised::Effect;
use super::{clamped, numbers, stale, uninitialised};
use crate::check::{Code, Finding};
use ctm_isa::isa::{AluOp, Place, letters};
use ctm_lang::program::{ConstantKind, NameKind, Program};

/// A finding at the first point of a hit, with its count.
fn finding<D>(
    code: Code,
    pc: Option<u32>,
    subject: impl Into<String>,
    hit: &Hit<D>,
    message: String,
) -> Finding {
    let finding = Finding::new(code, pc, subject, message).at((hit.first.i, hit.first.j));
    Finding { count: hit.count, ..finding }
}

/// The names of registers: those of the source, else those of the machine.
struct Names<'a>(&'a Program);

impl Names<'_> {
    fn of(&self, kind: NameKind, number: u32, letter: &str) -> String {
        let image = self.0.image();
        image.name_of(kind, number).map_or_else(|| format!("{letter}{number}"), str::to_string)
    }

    fn input(&self, n: usize) -> String {
        self.of(NameKind::Input, n as u32, "i")
    }

    fn output(&self, n: usize) -> String {
        self.of(NameKind::Output, n as u32, "o")
    }

    /// A register, without channels.
    fn register(&self, place: Place) -> String {
        match place {
            Place::Temp(n, _) => self.of(NameKind::Temp, n as u32, "r"),
            Place::Output(n, _) => self.output(n),
            Place::Constant(n, _) => self.of(NameKind::Float, n as u32, "c"),
            Place::Global(..)
            | Place::Predicate(_)
            | Place::AluResult
            | Place::Own
            | Place::Texel(_) => place.register(),
        }
    }

    /// A register with some of its channels, such as "r5.rg".
    fn with(&self, place: Place, channels: u8) -> String {
        match place.channel() {
            Some(_) => format!("{}.{}", self.register(place), letters(channels)),
            None => self.register(place),
        }
    }

    /// A register channel.
    fn place(&self, place: Place) -> String {
        self.with(place, place.channel().map_or(0, |channel| 1 << channel))
    }

    /// What a point writes through.
    fn through(&self, through: Through) -> String {
        match through {
            Through::Output(n) => self.output(n),
            Through::Uncached => "an uncached write".to_string(),
            Through::Condition => "the conditional buffer".to_string(),
        }
    }
}

/// A value as a float and as its bits.
fn value(bits: u32) -> String {
    format!("{} ({bits:08x})", f32::from_bits(bits))
}

/// Undefined values.
pub fn uninitialised(
    code: Code,
    hits: &Hits<uninitialised::Key, uninitialised::Detail>,
    program: &Program,
) -> Vec<Finding> {
    let names = Names(program);
    hits.iter()
        .map(|(key, hit)| {
            let name = names.with(key.origin, hit.channels);
            let never = match key.origin {
                Place::Temp(..) => "was never written",
                _ => "was never set",
            };
            let (does, label) = match key.effect {
                Effect::Branch => ("decides a branch", "the branch depends on it"),
                Effect::Address => ("is the coordinate of a fetch", "the fetch depends on it"),
                Effect::Kill => ("decides whether the point is killed", "the kill depends on it"),
                Effect::Output => ("reaches an output", "it is written here"),
                Effect::Uncached => ("reaches an uncached write", "the write depends on it"),
                Effect::Global => ("reaches a global register", "the register depends on it"),
                Effect::Condition => ("is the point's own conditional value", "it is written here"),
            };
            // One instruction can have several of these effects.
            let subject = match key.effect {
                Effect::Condition => format!("{}, condition", key.origin.register()),
                Effect::Global => format!("{}, global", key.origin.register()),
                Effect::Branch
                | Effect::Address
                | Effect::Kill
                | Effect::Output
                | Effect::Uncached => key.origin.register(),
            };
            let message = format!("{name} {never}, and {does}");
            let mut finding = finding(code, Some(key.pc), subject, hit, message).label(label);
            let way = &hit.detail.way;
            for &(pc, place) in way.chain.iter().filter(|&&(pc, _)| pc != key.pc) {
                finding = finding.note(pc, format!("the value goes on to {}", names.place(place)));
            }
            let (origin, register) = (names.place(way.origin), names.register(way.origin));
            let (pc, fact) = match hit.detail.cause {
                Cause::Predicated(pc) => {
                    (Some(pc), format!("{origin} was not written here: the predicate was off"))
                }
                Cause::Skipped(pc) => {
                    (Some(pc), format!("{origin} is written here, but this was not executed"))
                }
                Cause::Later(pc) => {
                    (Some(pc), format!("{origin} is written here, after its first use"))
                }
                Cause::Masked(pc, channels) => {
                    let name = names.with(way.origin, channels);
                    (Some(pc), format!("only {name} is written here"))
                }
                Cause::Relative(pc) => {
                    (Some(pc), format!("{register} may be written here, relative to aL"))
                }
                Cause::Never => (None, format!("no instruction writes {register}")),
            };
            finding.note(pc, fact)
        })
        .collect()
}

/// Constants without a value.
pub fn constants(hits: &Hits<ConstantKey, u32>, program: &Program) -> Vec<Finding> {
    let names = Names(program);
    hits.iter()
        .map(|(key, hit)| {
            let kind = ConstantKind::ALL[key.kind];
            let (text, letter, reads) = match kind {
                ConstantKind::Float => ("float", "c", "0"),
                ConstantKind::Int => ("integer", "n", "0"),
                ConstantKind::Bool => ("boolean", "b", "false"),
            };
            let name = names.of(kind.into(), key.number as u32, letter);
            let subject = format!("{letter}{}", key.number);
            let message = format!("{text} constant {name} has no value: it reads {reads}");
            finding(Code::MissingConstant, Some(hit.detail), subject, hit, message)
                .label("read here")
                .help(format!("give {name} in the job's `constants`, or a value in the program"))
        })
        .collect()
}

/// The first of four texels that is clamped, and what is read instead. The four have their top left
/// one at `meant`.
fn gathered(meant: (i32, i32), size: (u32, u32)) -> String {
    let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| {
        [(meant.0, right, size.0), (meant.1, down, size.1)].map(|(at, by, size)| {
            let wanted = i64::from(at) + by;
            (wanted, wanted.clamp(0, i64::from(size).max(1) - 1))
        })
    });
    let clamped = four.into_iter().find(|texel| texel.iter().any(|(wanted, read)| wanted != read));
    let Some([(x, at_x), (y, at_y)]) = clamped else {
        return "some of the four are clamped to the edge".to_string();
    };
    format!("for texel ({x}, {y}), texel ({at_x}, {at_y}) at the edge is read")
}

/// Clamped fetches.
pub fn clamped(hits: &Hits<clamped::Key, clamped::Detail>, program: &Program) -> Vec<Finding> {
    let names = Names(program);
    hits.iter()
        .map(|(key, hit)| {
            let clamped::Detail { meant, read, size, gathers } = hit.detail;
            let (input, subject) = (names.input(key.input), format!("i{}", key.input));
            let four = if gathers { "four texels from " } else { "texel " };
            let message = format!(
                "a fetch is outside {input}: {four}({}, {}) of {} x {}",
                meant.0, meant.1, size.0, size.1
            );
            let label = match gathers {
                true => gathered(meant, size),
                false => format!("reads texel ({}, {}) at the edge", read.0, read.1),
            };
            finding(Code::ClampedFetch, Some(key.pc), subject, hit, message)
                .label(label)
                .help("test the coordinate first, or say `wrap = \"repeat\"` if the input repeats")
        })
        .collect()
}

/// The instruction of a write: outputs are written by the last OUT, but named by the first.
fn writer(program: &Program, what: Through, pc: u32) -> u32 {
    match what {
        Through::Output(n) => first_out(program, n, 15).unwrap_or(pc),
        Through::Uncached | Through::Condition => pc,
    }
}

/// Races.
pub fn races(code: Code, hits: &RaceHits, program: &Program) -> Vec<Finding> {
    let names = Names(program);
    hits.iter()
        .map(|(key, hit)| {
            let detail = hit.detail;
            let ((i, j), address) = (detail.other, detail.address);
            let by = names.through(key.other);
            let also = writer(program, key.other, detail.other_pc);
            let (pc, subject, message, label) = match key.access {
                Access::Write(what) => {
                    let label = names.through(what);
                    (
                        writer(program, what, key.pc),
                        format!("{what:?} {:?}", key.other),
                        format!("several points write address 0x{address:08x}"),
                        format!("point ({}, {}): {label}", hit.first.i, hit.first.j),
                    )
                }
                Access::Fetch(n) => (
                    key.pc,
                    format!("i{n} {:?}", key.other),
                    format!(
                        "{} is read at address 0x{address:08x}, which another point of the launch \
                         writes",
                        names.input(n)
                    ),
                    "sees the memory from before the launch".to_string(),
                ),
            };
            finding(code, Some(pc), subject, hit, message)
                .label(label)
                .note(also, format!("point ({i}, {j}) writes it: {by}"))
        })
        .collect()
}

/// Channels of outputs that points did not write.
pub fn points(hits: &Hits<PointKey, ()>, program: &Program) -> Vec<Finding> {
    hits.iter()
        .map(|(&PointKey { output, missing }, hit)| {
            let place = Place::Output(output, 0);
            let name = Names(program).with(place, missing);
            let subject = format!("{}.{}", place.register(), letters(missing));
            let should = first_out(program, output, missing);
            let pc = should.or_else(|| first_out(program, output, 15));
            let message = format!("a point ends without writing {name}");
            let label = match should {
                Some(_) => "the point did not execute this write",
                None => "writes only other channels",
            };
            finding(Code::PointOutput, pc, subject, hit, message)
                .label(label)
                .note(None, format!("{name} keeps what memory held before the launch"))
        })
        .collect()
}

/// An operation with its operands, such as "RCP of A = 0 (00000000)".
fn operation(detail: &numbers::Detail) -> String {
    let operands: Vec<String> = ["A", "B", "C"]
        .into_iter()
        .enumerate()
        .filter(|(n, _)| detail.operands >> n & 1 != 0)
        .map(|(n, name)| format!("{name} = {}", value(detail.inputs[n])))
        .collect();
    match detail.op {
        // The other lanes' operands are not known here.
        AluOp::Dp3 | AluOp::Dp4 | AluOp::D2a => detail.op.name().to_string(),
        op => format!("{} of {}", op.name(), operands.join(", ")),
    }
}

/// NaN and Inf.
pub fn not_finite(hits: &Hits<numbers::Key, numbers::Detail>) -> Vec<Finding> {
    hits.iter()
        .map(|(key, hit)| {
            let detail = &hit.detail;
            let what = if f32::from_bits(detail.value).is_nan() { "NaN" } else { "an infinity" };
            let message = format!("a computation makes {what} from finite values");
            let channel = letters(1 << detail.channel);
            finding(Code::NotFinite, Some(key.pc), "", hit, message).label(format!(
                "{channel}: {} is {}",
                operation(detail),
                f32::from_bits(detail.value)
            ))
        })
        .collect()
}

/// Denormals.
pub fn flushed(hits: &Hits<numbers::Key, numbers::Detail>) -> Vec<Finding> {
    hits.iter()
        .map(|(key, hit)| {
            let message = "a denormal is flushed to zero".to_string();
            let channel = letters(1 << hit.detail.channel);
            finding(Code::Flushed, Some(key.pc), "", hit, message)
                .label(format!("{channel}: {}", operation(&hit.detail)))
        })
        .collect()
}

/// Stale reads.
pub fn stale(hits: &Hits<stale::Key, stale::Detail>, program: &Program) -> Vec<Finding> {
    let names = Names(program);
    hits.iter()
        .map(|(key, hit)| {
            let place = key.place.map_or("memory".to_string(), |place| match hit.channels {
                0 => names.register(place),
                channels => names.with(place, channels),
            });
            let subject = key.place.map_or("memory".to_string(), Place::register);
            let (missing, label, note) = match key.rule {
                Rule::Wait => ("TEX_SEM_WAIT", "does not wait for the fetch", "fetched here"),
                Rule::Acquire => {
                    ("TEX_SEM_ACQUIRE", "the fetch may still be on its way", "no ACQUIRE since")
                }
                Rule::Nop => ("NOP", "reads it in the next slot", "written here, without NOP"),
                Rule::AluWait => ("ALU_WAIT", "does not wait for the ALU", "written here"),
                Rule::AluResult => {
                    ("valid ALU result", "another FC instruction ran before", "written here")
                }
                Rule::UncachedWait => {
                    ("TEX_SEM_WAIT", "does not wait for the write", "written here")
                }
                Rule::UncachedAcquire => {
                    ("TEX_SEM_ACQUIRE", "the write may still be on its way", "no ACQUIRE since")
                }
            };
            let message = match key.rule {
                Rule::AluResult => {
                    "the ALU result is not valid after another flow-control instruction".to_string()
                }
                _ => format!("a real chip may read an old value of {place}: {missing} is missing"),
            };
            finding(Code::StaleRead, Some(key.pc), format!("{subject}, {missing}"), hit, message)
                .label(label)
                .note(hit.detail.writer, note)
        })
        .collect()
}
