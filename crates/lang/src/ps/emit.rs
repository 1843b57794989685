//! Writes lines of the machine's assembly language: operands as text, the halves of instructions,
//! the registers that they read and write, and pairing.

use super::syntax::Gating;
use crate::asm::{self, mask_text};
use ctm_isa::isa::LETTERS;
use ctm_isa::text::Span;
use std::fmt::Write;

/// The location of a source's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Base {
    Temp(u8),
    /// A temporary relative to aL.
    TempRelative(u8),
    Constant(u8),
    /// A constant relative to aL.
    ConstantRelative(u8),
    /// A constant whose value the program defines.
    Defined(u8, [u32; 4]),
    /// A number that needs no register: 0, 1 and their negatives.
    Number(f32),
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Source {
    pub base: Base,
    /// The channel of each lane.
    pub swizzle: [u8; 4],
    pub negate: bool,
    pub abs: bool,
}

/// A temporary and its channels, bit 0 r to bit 3 a.
pub(super) type Channels = (u8, u8);

impl Source {
    pub fn new(base: Base) -> Source {
        Source { base, swizzle: [0, 1, 2, 3], negate: false, abs: false }
    }
    pub fn temp(n: u8) -> Source {
        Source::new(Base::Temp(n))
    }
    pub fn number(value: f32) -> Source {
        Source::new(Base::Number(value))
    }
    /// The source with one channel in all lanes.
    pub fn channel(self, channel: u8) -> Source {
        Source { swizzle: [channel; 4], ..self }
    }
    /// The source with its lanes in another order.
    pub fn compose(self, lanes: [u8; 4]) -> Source {
        Source { swizzle: lanes.map(|lane| self.swizzle[lane as usize]), ..self }
    }
    /// The absolute value of the source.
    pub fn absolute(self) -> Source {
        Source { abs: true, negate: false, ..self }
    }
    /// The negative of the source.
    pub fn negative(self) -> Source {
        Source { negate: !self.negate, ..self }
    }
    /// The source read from its register, even if that holds a known number.
    fn in_register(self) -> Source {
        match self.base {
            Base::Defined(n, _) => Source { base: Base::Constant(n), ..self },
            _ => self,
        }
    }
    /// Whether it has no sign modifiers.
    pub fn is_plain(&self) -> bool {
        !self.negate && !self.abs
    }

    /// The operand as text for these lanes, where `None` is an unread lane, and the channels that
    /// it reads.
    pub fn text(&self, lanes: &[Option<u8>]) -> (String, Option<Channels>) {
        if let Base::Number(value) = self.base {
            let value = if self.abs { value.abs() } else { value };
            let value = if self.negate { -value } else { value };
            return (format!("{value:?}"), None);
        }
        if let Base::Defined(_, values) = self.base
            && let Some(text) = self.without_register(values, lanes)
        {
            return (text, None);
        }
        let letter = |lane: &Option<u8>| match lane {
            Some(lane) => LETTERS[self.swizzle[*lane as usize] as usize],
            None => '_',
        };
        let letters: String = lanes.iter().map(letter).collect();
        let name = self.base.name();
        let (minus, bar) = (if self.negate { "-" } else { "" }, if self.abs { "|" } else { "" });
        let text = format!("{minus}{bar}{name}.{letters}{bar}");
        let channels =
            lanes.iter().flatten().fold(0, |mask, lane| mask | 1 << self.swizzle[*lane as usize]);
        let reads = match self.base {
            Base::Temp(n) => Some((n, channels)),
            _ => None,
        };
        (text, reads)
    }

    /// Known numbers as swizzle constants or as an inline constant, if all lanes allow it. They
    /// must have the same sign, and be either 0, 0.5, 1 in any order or one other number.
    fn without_register(&self, values: [u32; 4], lanes: &[Option<u8>]) -> Option<String> {
        const SIGN: u32 = ctm_isa::float::SIGN;
        let value = |lane: u8| {
            let bits = values[self.swizzle[lane as usize] as usize];
            let bits = if self.abs { bits & !SIGN } else { bits };
            if self.negate { bits ^ SIGN } else { bits }
        };
        let first = value(*lanes.iter().flatten().next()?);
        let sign = first & SIGN;
        let minus = if sign != 0 { "-" } else { "" };
        if lanes.iter().flatten().any(|&lane| value(lane) & SIGN != sign) {
            return None;
        }
        let letter = |lane: &Option<u8>| match lane {
            None => Some('_'),
            Some(lane) => match f32::from_bits(value(*lane) & !SIGN) {
                0.0 if value(*lane) & !SIGN == 0 => Some('0'),
                0.5 => Some('h'),
                1.0 => Some('1'),
                _ => None,
            },
        };
        if let Some(letters) = lanes.iter().map(letter).collect::<Option<String>>() {
            return Some(format!("{minus}.{letters}"));
        }
        let magnitude = f32::from_bits(first & !SIGN);
        let same = lanes.iter().flatten().all(|&lane| value(lane) == first);
        (same && asm::inline_code(magnitude).is_some()).then(|| format!("{minus}{magnitude:?}"))
    }
}

impl Base {
    /// The register, without a swizzle.
    pub fn name(&self) -> String {
        match self {
            Base::Temp(n) => format!("r{n}"),
            Base::TempRelative(n) => format!("r[aL+{n}]"),
            Base::Constant(n) | Base::Defined(n, _) => format!("c{n}"),
            Base::ConstantRelative(n) => format!("c[aL+{n}]"),
            Base::Number(value) => format!("{value:?}"),
        }
    }
}

/// The destination of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Temp(u8),
    Output(u8),
    /// The conditional output: lane x of the result.
    Depth,
    /// Predicate bits by a comparison with 0.
    Predicate(&'static str),
    /// The ALU result by a comparison with 0.
    AluResult(&'static str),
}

/// A target with its mask, and what happens to a result on its way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dest {
    pub target: Target,
    pub mask: u8,
    /// Clamped to 0 to 1.
    pub saturate: bool,
    pub gate: Option<Gating>,
}

/// Whether an instruction must be OUT or ALU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Free,
    Out,
    Alu,
}

/// An instruction, or its part for one unit.
#[derive(Clone, Debug)]
pub(super) struct Half {
    text: String,
    gate: Option<String>,
    reads: Vec<Channels>,
    write: Option<Channels>,
    class: Class,
}

/// One line of output.
#[derive(Clone, Debug)]
pub(super) enum LineKind {
    /// The RGB and the alpha unit; at least one of them is present.
    Pair(Option<Half>, Option<Half>),
    /// An instruction that needs both units.
    Whole(Half),
    /// A fetch or flow control.
    Other(String),
    /// A label, which takes no slot.
    Label(String),
}

/// A line and the position of its statement.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub kind: LineKind,
    pub span: Span,
}

/// The predicate of a gate as text: one for all channels, or each channel's own.
fn gate_text(gate: Gating, channel: Option<u8>) -> String {
    let not = if gate.not { "!" } else { "" };
    match channel {
        Some(channel) => format!("{not}p.{}", LETTERS[channel as usize]),
        None => format!("{not}p"),
    }
}

impl Dest {
    pub fn new(target: Target, mask: u8) -> Dest {
        Dest { target, mask, saturate: false, gate: None }
    }
    pub fn temp(n: u8, mask: u8) -> Dest {
        Dest::new(Target::Temp(n), mask)
    }
    pub fn is_depth(&self) -> bool {
        self.target == Target::Depth
    }

    /// Sources as both units read them. If one unit must read a known number from its register, the
    /// other reads it there too, instead of using a further address for an inline constant. So
    /// three operands always fit.
    fn settle(&self, sources: &[Source]) -> Vec<Source> {
        let settled = |source: &Source| {
            let Base::Defined(n, values) = source.base else {
                return *source;
            };
            let rgb: &[Option<u8>] = &self.rgb_lanes();
            let texts = [rgb, &[Some(3)]].map(|lanes| source.without_register(values, lanes));
            // The swizzle letters for 0, 0.5 and 1 use no address.
            let number = |text: &Option<String>| {
                text.as_ref().is_some_and(|text| !text.trim_start_matches('-').starts_with('.'))
            };
            if texts.iter().any(number) && texts.iter().any(Option::is_none) {
                Source { base: Base::Constant(n), ..*source }
            } else {
                *source
            }
        };
        if self.mask & 7 != 0 && self.mask & 8 != 0 {
            sources.iter().map(settled).collect()
        } else {
            sources.to_vec()
        }
    }

    fn rgb_lanes(&self) -> [Option<u8>; 3] {
        [0, 1, 2].map(|n| (self.mask >> n & 1 != 0).then_some(n))
    }

    /// The operation with this result, for some of its channels. An operation whose name ends with
    /// `.exact` preserves all bits unless it clamps.
    fn half(&self, op: &str, mask: u8, (operands, reads): (String, Vec<Channels>)) -> Half {
        let letters = mask_text(mask);
        let (target, class) = match self.target {
            Target::Temp(n) => (format!("r{n}.{letters}"), Class::Free),
            Target::Output(n) => (format!("o{n}.{letters}"), Class::Out),
            Target::Depth => ("w".to_string(), Class::Free),
            Target::Predicate(comparison) => (format!("p.{letters}{comparison}"), Class::Alu),
            Target::AluResult(comparison) => (format!("alu_result{comparison}"), Class::Free),
        };
        let text = if self.saturate {
            format!("{}.sat {target}{operands}", op.trim_end_matches(".exact"))
        } else {
            format!("{op} {target}{operands}")
        };
        // The conditional output is lane x, but belongs to the alpha unit.
        let lane = self.is_depth().then_some(0);
        let gate = self.gate.map(|gate| gate_text(gate, gate.channel.or(lane)));
        let write = match self.target {
            Target::Temp(n) => Some((n, mask)),
            _ => None,
        };
        Half { text, gate, reads, write, class }
    }

    /// An operation that works lane by lane, with its operands for the lanes of a unit.
    fn by_lanes(
        &self,
        op: &str,
        operands: impl Fn(&[Option<u8>]) -> (String, Vec<Channels>),
    ) -> LineKind {
        if self.is_depth() {
            return LineKind::Pair(None, Some(self.half(op, 8, operands(&[Some(0)]))));
        }
        let half = |mask: u8, lanes: &[Option<u8>]| {
            (self.mask & mask != 0).then(|| self.half(op, self.mask & mask, operands(lanes)))
        };
        LineKind::Pair(half(7, &self.rgb_lanes()), half(8, &[Some(3)]))
    }
}

/// Operands for one unit as text, and the channels that they read.
fn operands(sources: &[Source], lanes: &[Option<u8>]) -> (String, Vec<Channels>) {
    let mut text = String::new();
    let mut reads = Vec::new();
    for source in sources {
        let (operand, read) = source.text(lanes);
        let _ = write!(text, ", {operand}");
        reads.extend(read);
    }
    (text, reads)
}

/// An operation that works lane by lane.
pub(super) fn vector(op: &str, dest: Dest, sources: &[Source]) -> LineKind {
    let sources = dest.settle(sources);
    dest.by_lanes(op, |lanes| operands(&sources, lanes))
}

/// A linear interpolation that forms the difference as a presubtract: `factor * (b - a) + a`.
pub(super) fn interpolate(dest: Dest, factor: Source, a: Source, b: Source) -> LineKind {
    let factor = dest.settle(&[factor]);
    dest.by_lanes("mad", |lanes| {
        let (mut text, mut reads) = operands(&factor, lanes);
        let (first, read) = a.in_register().text(lanes);
        reads.extend(read);
        reads.extend(b.in_register().text(lanes).1);
        let letters = first.split_once('.').map_or("", |(_, letters)| letters);
        let _ = write!(text, ", ({}-{}).{letters}, {first}", b.base.name(), a.base.name());
        (text, reads)
    })
}

/// A dot product: `dp3`, `dp4` or `d2a`.
pub(super) fn dot(op: &str, dest: Dest, sources: &[Source]) -> LineKind {
    let four = op == "dp4";
    let lanes = [Some(0), Some(1), Some(2), Some(3)];
    let half = dest.half(op, dest.mask, operands(sources, if four { &lanes } else { &lanes[..3] }));
    if four || dest.is_depth() || dest.mask & 8 != 0 {
        LineKind::Whole(half)
    } else {
        LineKind::Pair(Some(half), None)
    }
}

/// A transcendental function of one channel.
pub(super) fn scalar(op: &str, dest: Dest, source: Source) -> LineKind {
    let half = dest.half(op, dest.mask, operands(&[source], &[Some(0)]));
    if dest.is_depth() || dest.mask & 7 == 0 {
        LineKind::Pair(None, Some(half))
    } else {
        LineKind::Whole(half)
    }
}

/// A difference of neighbours. The temporary has no modifiers.
pub(super) fn neighbours(op: &str, dest: Dest, temp: u8) -> LineKind {
    LineKind::Whole(dest.half(op, dest.mask, (format!(", r{temp}, -1"), Vec::new())))
}

/// A fetch with a gate.
pub(super) fn fetch(text: String, gate: Option<Gating>) -> LineKind {
    LineKind::Other(match gate {
        Some(gate) => format!("({}) {text}", gate_text(gate, gate.channel)),
        None => text,
    })
}

impl Line {
    /// Whether it writes an output register, so that a program can end with it.
    pub fn is_output(&self) -> bool {
        let halves = match &self.kind {
            LineKind::Pair(rgb, alpha) => [rgb.as_ref(), alpha.as_ref()],
            LineKind::Whole(half) => [Some(half), None],
            LineKind::Other(_) | LineKind::Label(_) => [None, None],
        };
        halves.into_iter().flatten().any(|half| half.class == Class::Out)
    }
    /// Whether it takes an instruction slot.
    pub fn is_instruction(&self) -> bool {
        !matches!(self.kind, LineKind::Label(_))
    }
    /// The line as text.
    pub fn text(&self) -> String {
        match &self.kind {
            LineKind::Pair(Some(rgb), Some(alpha)) => pair_text(rgb, alpha),
            LineKind::Pair(Some(half), None)
            | LineKind::Pair(None, Some(half))
            | LineKind::Whole(half) => match &half.gate {
                Some(gate) => format!("({gate}) {}", half.text),
                None => half.text.clone(),
            },
            LineKind::Pair(None, None) => String::new(),
            LineKind::Other(text) => text.clone(),
            LineKind::Label(name) => format!("{name}:"),
        }
    }
}

fn pair_text(rgb: &Half, alpha: &Half) -> String {
    let gate = |half: &Half| half.gate.clone().unwrap_or_else(|| "1".to_string());
    let gates = match (&rgb.gate, &alpha.gate) {
        (None, None) => String::new(),
        _ => format!("({}, {}) ", gate(rgb), gate(alpha)),
    };
    format!("{gates}{} | {}", rgb.text, alpha.text)
}

/// Joins adjacent lines if one uses only the RGB unit and the other only the alpha unit.
pub(super) fn pair(lines: Vec<Line>) -> Vec<Line> {
    let mut paired: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        if let Some(before) = paired.last_mut()
            && let Some(kind) = join(before, &line)
        {
            before.kind = kind;
            continue;
        }
        paired.push(line);
    }
    paired
}

/// Both lines as one instruction, if the second does not depend on the first and the sources fit.
fn join(first: &Line, second: &Line) -> Option<LineKind> {
    let (LineKind::Pair(rgb1, alpha1), LineKind::Pair(rgb2, alpha2)) = (&first.kind, &second.kind)
    else {
        return None;
    };
    let (rgb, alpha, before, after) = match (rgb1, alpha1, rgb2, alpha2) {
        (Some(rgb), None, None, Some(alpha)) => (rgb, alpha, rgb, alpha),
        (None, Some(alpha), Some(rgb), None) => (rgb, alpha, alpha, rgb),
        _ => return None,
    };
    let depends = before.write.is_some_and(|(temp, channels)| {
        after.reads.iter().any(|&(other, read)| other == temp && read & channels != 0)
    });
    let predicate = before.class == Class::Alu && after.gate.is_some();
    let classes =
        matches!((rgb.class, alpha.class), (Class::Out, Class::Alu) | (Class::Alu, Class::Out));
    // An ALU result belongs to the jump after it. OUT could set it too, but such lines are not
    // joined.
    if depends || predicate || classes {
        return None;
    }
    let fits = asm::assemble_made(&format!("{}\nend\n", pair_text(rgb, alpha))).is_ok();
    fits.then(|| LineKind::Pair(Some(rgb.clone()), Some(alpha.clone())))
}
