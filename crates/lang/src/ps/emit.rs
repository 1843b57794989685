//! Makes statements of the machine's assembly language: operands, the halves of instructions, the
//! registers that they read and write, and pairing.

use super::steps::*;
use super::syntax::LABELS;
use crate::asm::syntax::{
    self, ALU_RESULT, BOOLEAN, Condition, Coordinate, Destination, Fetch, IntOperand, Operand,
    PREDICATE, RegisterRef, Statement, StatementKind, Term, Value,
};
use crate::asm::{self, Operation};
use ctm_base::text::{At, Span};
use ctm_isa::isa::{
    BOOL_CONSTANTS, Channel, FLOAT_CONSTANTS, FieldValue, INPUTS, INT_CONSTANTS, Modifier, OUTPUTS,
    Omod, PredSel, Presub, Swizzle, TEMPORARIES, TexOp,
};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A temporary and its channels, bit 0 r to bit 3 a.
pub(super) type Channels = (u8, u8);

impl Source {
    /// The source read from its register, even if that holds a known number.
    fn in_register(self) -> Source {
        match self.base {
            Base::Defined(n, _) => Source { base: Base::Constant(n), ..self },
            _ => self,
        }
    }

    /// The operand for these lanes, where `None` is an unread lane, and the channels that it reads.
    pub(super) fn operand(&self, lanes: &[Option<u8>]) -> (Operand<'static>, Option<Channels>) {
        let known = match self.base {
            Base::Number(value) => {
                let value = if self.abs { value.abs() } else { value };
                Some(number(if self.negate { -value } else { value }))
            }
            Base::Defined(_, values) => self.without_register(values, lanes),
            _ => None,
        };
        if let Some(operand) = known {
            return (operand, None);
        }
        let letter = |lane: &Option<u8>| match lane {
            Some(lane) => Swizzle::from_code(self.swizzle[*lane as usize].into()),
            None => Swizzle::Unused,
        };
        let value = Value::Term(self.base.term());
        let mut operand = operand(value, Some(lanes.iter().map(letter).collect()));
        if self.abs {
            operand.modifier = Modifier::Abs;
        }
        if self.negate {
            operand.negate();
        }
        let channels =
            lanes.iter().flatten().fold(0, |mask, lane| mask | 1 << self.swizzle[*lane as usize]);
        let reads = match self.base {
            Base::Temp(n) => Some((n, channels)),
            _ => None,
        };
        (operand, reads)
    }

    /// Known numbers as swizzle constants or as an inline constant, if all lanes allow it. They
    /// must have the same sign, and be either 0, 0.5, 1 in any order or one other number.
    fn without_register(&self, values: [u32; 4], lanes: &[Option<u8>]) -> Option<Operand<'static>> {
        const SIGN: u32 = ctm_isa::float::SIGN;
        let value = |lane: u8| {
            let bits = values[self.swizzle[lane as usize] as usize];
            let bits = if self.abs { bits & !SIGN } else { bits };
            if self.negate { bits ^ SIGN } else { bits }
        };
        let first = value(*lanes.iter().flatten().next()?);
        if lanes.iter().flatten().any(|&lane| value(lane) & SIGN != first & SIGN) {
            return None;
        }
        let letter = |lane: &Option<u8>| match lane {
            None => Some(Swizzle::Unused),
            Some(lane) => asm::constant_lane(f32::from_bits(value(*lane) & !SIGN)),
        };
        if let Some(letters) = lanes.iter().map(letter).collect::<Option<_>>() {
            let mut operand = operand(Value::Constants, Some(letters));
            if first & SIGN != 0 {
                operand.negate();
            }
            return Some(operand);
        }
        let same = lanes.iter().flatten().all(|&lane| value(lane) == first);
        let inline = asm::inline_code(f32::from_bits(first & !SIGN)).is_some();
        (same && inline).then(|| number(f32::from_bits(first)))
    }
}

/// An operand without a sign.
fn operand(value: Value<'static>, swizzle: Option<Vec<Swizzle>>) -> Operand<'static> {
    Operand::new(Span::default(), value, swizzle.map(at))
}

/// A number as an operand: its magnitude and its sign.
fn number(value: f32) -> Operand<'static> {
    let mut operand = operand(Value::Term(Term::Number(value.abs())), None);
    if value.is_sign_negative() {
        operand.negate();
    }
    operand
}

/// Syntax that no text has.
pub(super) fn at<T>(node: T) -> At<T> {
    At::new(node, Span::default())
}

/// The name of a register or a label of the machine: a word and a number.
pub(super) fn name(word: &'static str, n: u32) -> &'static str {
    static NAMES: LazyLock<HashMap<(&str, u32), String>> = LazyLock::new(|| {
        let counts = [
            ("r", TEMPORARIES),
            ("c", FLOAT_CONSTANTS),
            ("n", INT_CONSTANTS),
            ("b", BOOL_CONSTANTS),
            ("i", INPUTS),
            ("o", OUTPUTS),
            ("sub_", LABELS),
        ];
        let all = counts.into_iter().flat_map(|(word, n)| (0..n as u32).map(move |n| (word, n)));
        all.map(|(word, n)| ((word, n), format!("{word}{n}"))).collect()
    });
    NAMES.get(&(word, n)).map_or("_", String::as_str)
}

/// The names of masks.
pub(super) const MASKS: [&str; 16] = [
    "_", "r", "g", "rg", "b", "rb", "gb", "rgb", "a", "ra", "ga", "rga", "ba", "rba", "gba", "rgba",
];

impl Base {
    /// The register, or the number.
    pub(super) fn term(&self) -> Term<'static> {
        let relative =
            |file, n: &u8| Term::Register(RegisterRef::Relative { file, offset: (*n).into() });
        let named = |word, n: &u8| Term::Register(RegisterRef::Name(name(word, (*n).into())));
        match self {
            Base::Temp(n) => named("r", n),
            Base::TempRelative(n) => relative('r', n),
            Base::Constant(n) | Base::Defined(n, _) => named("c", n),
            Base::ConstantRelative(n) => relative('c', n),
            Base::Number(value) => Term::Number(*value),
        }
    }
}

/// Whether an instruction must be OUT or ALU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Free,
    Out,
    Alu,
}

/// The predicate of a unit, and whether it is inverted.
type UnitGate = (PredSel, bool);

/// An instruction, or its part for one unit.
#[derive(Clone, Debug)]
pub(super) struct Half {
    half: syntax::Half<'static>,
    gate: Option<UnitGate>,
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
    /// A fetch or flow control, with the gate of a fetch.
    Other(StatementKind<'static>, Option<Gating>),
    /// A label, which takes no slot.
    Label(&'static str),
}

/// A line and the position of its statement.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub kind: LineKind,
    pub span: Span,
}

/// The predicate of a gate: one for all channels, or each channel's own.
fn unit_gate(gate: Gating, channel: Option<u8>) -> UnitGate {
    const BITS: [PredSel; 4] = [PredSel::R, PredSel::G, PredSel::B, PredSel::A];
    (channel.map_or(PredSel::Rgba, |channel| BITS[channel as usize]), gate.not)
}

impl Dest {
    /// Sources as both units read them. If one unit must read a known number from its register, the
    /// other reads it there too, instead of using a further address for an inline constant. So
    /// three operands always fit.
    fn settle(&self, sources: &[Source]) -> Vec<Source> {
        let settled = |source: &Source| {
            let Base::Defined(n, values) = source.base else {
                return *source;
            };
            let rgb: &[Option<u8>] = &self.rgb_lanes();
            let found = [rgb, &[Some(3)]].map(|lanes| source.without_register(values, lanes));
            // Swizzle constants use no address.
            let inline = |found: &Option<Operand>| {
                found.as_ref().is_some_and(|found| found.value != Value::Constants)
            };
            if found.iter().any(inline) && found.iter().any(Option::is_none) {
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
    fn half(&self, op: &'static str, mask: u8, (operands, reads): Operands) -> Half {
        let letters = Some(at(MASKS[mask as usize]));
        let (register, letters, comparison, class) = match self.target {
            Target::Temp(n) => (name("r", n.into()), letters, None, Class::Free),
            Target::Output(n) => (name("o", n.into()), letters, None, Class::Out),
            Target::Depth => ("w", None, None, Class::Free),
            Target::Predicate(comparison) => ("p", letters, Some(comparison), Class::Alu),
            Target::AluResult(comparison) => ("alu_result", None, Some(comparison), Class::Free),
        };
        let exact = op.strip_suffix(".exact");
        let op = exact.unwrap_or(op);
        let register = at(RegisterRef::Name(register));
        let comparison = comparison.map(at);
        let half = syntax::Half {
            omod: exact.filter(|_| !self.saturate).map(|_| at(Omod::Disabled)),
            saturate: self.saturate.then_some(Span::default()),
            destinations: vec![Destination { register, mask: letters, comparison }],
            operands,
            ..syntax::Half::new(at(op), Operation::of(op).unwrap_or_default())
        };
        // The conditional output is lane x, but belongs to the alpha unit.
        let lane = self.is_depth().then_some(0);
        let gate = self.gate.map(|gate| unit_gate(gate, gate.channel.or(lane)));
        let write = match self.target {
            Target::Temp(n) => Some((n, mask)),
            _ => None,
        };
        Half { half, gate, reads, write, class }
    }

    /// An operation that works lane by lane, with its operands for the lanes of a unit.
    fn by_lanes(&self, op: &'static str, operands: impl Fn(&[Option<u8>]) -> Operands) -> LineKind {
        if self.is_depth() {
            return LineKind::Pair(None, Some(self.half(op, 8, operands(&[Some(0)]))));
        }
        let half = |mask: u8, lanes: &[Option<u8>]| {
            (self.mask & mask != 0).then(|| self.half(op, self.mask & mask, operands(lanes)))
        };
        LineKind::Pair(half(7, &self.rgb_lanes()), half(8, &[Some(3)]))
    }
}

/// Operands, and the channels that they read.
type Operands = (Vec<Operand<'static>>, Vec<Channels>);

/// Operands for one unit.
fn operands(sources: &[Source], lanes: &[Option<u8>]) -> Operands {
    let (operands, reads): (_, Vec<_>) = sources.iter().map(|source| source.operand(lanes)).unzip();
    (operands, reads.into_iter().flatten().collect())
}

/// An operation that works lane by lane.
fn vector(op: &'static str, dest: Dest, sources: &[Source]) -> LineKind {
    let sources = dest.settle(sources);
    dest.by_lanes(op, |lanes| operands(&sources, lanes))
}

/// A linear interpolation that forms the difference as a presubtract: `factor * (b - a) + a`.
fn interpolate(dest: Dest, factor: Source, a: Source, b: Source) -> LineKind {
    let factor = dest.settle(&[factor]);
    let [a, b] = [a, b].map(Source::in_register);
    dest.by_lanes("mad", |lanes| {
        let (mut list, mut reads) = operands(&factor, lanes);
        let (last, read) = a.operand(lanes);
        reads.extend(read);
        reads.extend(b.operand(lanes).1);
        let terms = [Some(a.base.term()), Some(b.base.term())];
        list.push(Operand { value: Value::Presub(Presub::Sub, terms), ..last.clone() });
        list.push(last);
        (list, reads)
    })
}

/// A dot product: `dp3`, `dp4` or `d2a`.
fn dot(op: &'static str, dest: Dest, sources: &[Source]) -> LineKind {
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
fn scalar(op: &'static str, dest: Dest, source: Source) -> LineKind {
    let half = dest.half(op, dest.mask, operands(&[source], &[Some(0)]));
    if dest.is_depth() || dest.mask & 7 == 0 {
        LineKind::Pair(None, Some(half))
    } else {
        LineKind::Whole(half)
    }
}

/// A difference of neighbours. The temporary has no modifiers.
fn neighbours(op: &'static str, dest: Dest, temp: u8) -> LineKind {
    let own = operand(Value::Term(Base::Temp(temp).term()), None);
    LineKind::Whole(dest.half(op, dest.mask, (vec![own, number(-1.0)], Vec::new())))
}

/// A temporary as a coordinate.
fn coordinate(source: &Source) -> Coordinate<'static> {
    let register = match source.base.term() {
        Term::Register(register) => register,
        Term::Number(_) => RegisterRef::Name("_"),
    };
    Coordinate { register: at(register), swizzle: Some(at(channels(source.swizzle))) }
}

/// The channels of a swizzle.
fn channels(swizzle: [u8; 4]) -> Vec<Channel> {
    swizzle.map(|channel| Channel::from_code(channel.into())).to_vec()
}

fn fetch(
    op: TexOp,
    dest: &Dest,
    input: u8,
    swizzle: Option<[u8; 4]>,
    coordinates: &[Source],
) -> Fetch<'static> {
    let register = match dest.target {
        Target::Temp(n) => name("r", n.into()),
        _ => "_",
    };
    let destination = Destination {
        register: at(RegisterRef::Name(register)),
        mask: Some(at(MASKS[dest.mask as usize])),
        comparison: None,
    };
    Fetch {
        op,
        destination: Some(destination),
        input: Some(at(name("i", input.into()))),
        unscaled: true,
        coordinates: coordinates.iter().map(coordinate).collect(),
        swizzle: swizzle.map(|swizzle| at(channels(swizzle))),
    }
}

/// A condition in the machine's assembly language.
fn condition(test: Test) -> Condition<'static> {
    let plain = |table| Condition::new(Span::default(), table);
    let not = |table: u8, not| if not { !table } else { table };
    match test {
        Test::Known(holds) => plain(if holds { 0xff } else { 0 }),
        Test::AluResult => plain(ALU_RESULT),
        Test::Predicate(channel, clear) => Condition {
            predicate: Some(at(MASKS[1 << channel])),
            inverted: Some(false),
            ..plain(not(PREDICATE, clear))
        },
        Test::Boolean(n, clear) => {
            Condition { boolean: Some(at(name("b", n.into()))), ..plain(not(BOOLEAN, clear)) }
        }
    }
}

impl LineKind {
    /// The line of a step.
    fn of(step: Step) -> LineKind {
        let kind = match step {
            Step::Vector(op, dest, sources) => return vector(op, dest, &sources),
            Step::Interpolate(dest, [factor, a, b]) => return interpolate(dest, factor, a, b),
            Step::Dot(op, dest, sources) => return dot(op, dest, &sources),
            Step::Scalar(op, dest, source) => return scalar(op, dest, source),
            Step::Neighbours(op, dest, temp) => return neighbours(op, dest, temp),
            Step::Fetch(op, dest, input, swizzle, coordinates) => {
                let fetch = fetch(op, &dest, input, swizzle, &coordinates);
                return LineKind::Other(StatementKind::Tex(fetch), dest.gate);
            }
            Step::Kill(source) => StatementKind::Tex(Fetch {
                coordinates: vec![coordinate(&source)],
                ..Fetch::new(TexOp::Texkill)
            }),
            Step::If(test) => StatementKind::If(condition(test)),
            Step::Else => StatementKind::Else,
            Step::EndIf => StatementKind::EndIf(None),
            Step::Loop(kind, n) => {
                StatementKind::Loop(kind, IntOperand::Register(at(name("n", n.into()))))
            }
            Step::EndLoop(kind) => StatementKind::EndLoop(kind),
            Step::Break(test) => StatementKind::Leave("break", test.map(condition)),
            Step::Call(label, test) => {
                StatementKind::Call(at(name("sub_", label)), test.map(condition))
            }
            Step::Label(label) => return LineKind::Label(name("sub_", label)),
            Step::Return => StatementKind::Ret(None),
            Step::End => StatementKind::End,
        };
        LineKind::Other(kind, None)
    }
}

impl Line {
    /// The line of a step.
    pub fn of(located: Located) -> Line {
        Line { kind: LineKind::of(located.step), span: located.span }
    }
    /// Whether it takes an instruction slot.
    pub fn is_instruction(&self) -> bool {
        !matches!(self.kind, LineKind::Label(_))
    }
    /// The line of the assembly language.
    pub fn syntax(self) -> syntax::Line<'static> {
        let alu = |halves: [Option<Half>; 2]| {
            StatementKind::Alu(halves.into_iter().flatten().map(|half| half.half).collect())
        };
        let gate = |half: &Option<Half>| half.as_ref().and_then(|half| half.gate);
        let (units, kind) = match self.kind {
            LineKind::Label(name) => return syntax::Line::Label(at(name)),
            LineKind::Pair(rgb, alpha) => {
                let [first, second] = [gate(&rgb), gate(&alpha)];
                let both = rgb.is_some() && alpha.is_some();
                let units = if both { [first, second] } else { [first.or(second); 2] };
                (units, alu([rgb, alpha]))
            }
            LineKind::Whole(half) => ([half.gate; 2], alu([Some(half), None])),
            LineKind::Other(kind, gate) => {
                ([gate.map(|gate| unit_gate(gate, gate.channel)); 2], kind)
            }
        };
        let gated = units != [None; 2];
        let units = units.map(|gate| gate.unwrap_or((PredSel::None, false)));
        let gate = gated.then_some(syntax::Gate { span: self.span, units });
        syntax::Line::Statement(Box::new(Statement { gate, ..Statement::new(self.span, kind) }))
    }
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
    asm::fits([rgb.half.clone(), alpha.half.clone()])
        .then(|| LineKind::Pair(Some(rgb.clone()), Some(alpha.clone())))
}
