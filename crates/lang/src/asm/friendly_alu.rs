//! ALU and OUT instructions on the friendly level: candidates, most readable first.

use super::flags::{self, mask_text};
use super::mnemonics::required;
use super::numbers::inline_value;
use super::operands::letters;
use super::syntax::SIGNS;
use ctm_isa::isa::{
    ALPHA, Alu, AluOp, AluResultSel, Common, Comparison, FieldValue, Input, Instruction, Modifier,
    Omod, PredSel, Presub, RGB, Register, Sel, Source, SourceKind, Swizzle, Target, Type,
    UNIT_MASKS, Unit,
};
use std::fmt::Write;

/// The notation of operands and sources in a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Registers by name; the assembler chooses the same sources.
    Plain,
    /// Registers by name, and a list of the sources.
    Listed,
    /// Source numbers, and a list of the sources.
    Numbered,
}

/// The notation of the two units in a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One operation for both units.
    Merged,
    /// The RGB unit alone.
    Rgb,
    /// The alpha unit alone.
    Alpha,
    /// Two halves.
    Pair,
}

/// An input of a unit with its lanes: 3, 1, or 4 of both units.
#[derive(Clone)]
struct InputView {
    sel: Sel,
    lanes: Vec<Swizzle>,
    modifier: Modifier,
}

impl InputView {
    fn is_default(&self) -> bool {
        self.sel == Sel::Src0
            && self.modifier == Modifier::Nop
            && self.lanes.iter().all(|lane| *lane == Swizzle::R)
    }
}

/// One unit, with what word 0 says about it.
struct UnitView {
    /// [`RGB`] or [`ALPHA`].
    n: usize,
    unit: Unit,
    inputs: Vec<InputView>,
    clamp: bool,
    wmask: u8,
    omask: u8,
    /// Further destinations: `alu_result`, `w`.
    more: Vec<String>,
}

impl UnitView {
    fn is_idle(&self) -> bool {
        self.unit.op == AluOp::Mad
            && self.inputs.iter().all(InputView::is_default)
            && self.unit.omod == Omod::X1
            && !self.clamp
            && self.writes_nothing()
            && self.dest() == (0, false)
            && self.unit.target == 0
    }
    fn writes_nothing(&self) -> bool {
        self.wmask == 0 && self.omask == 0 && self.more.is_empty()
    }
    fn dest(&self) -> (u8, bool) {
        (self.unit.dest, self.unit.dest_rel)
    }
}

/// The candidates, in order.
pub(super) fn candidates(instruction: &Instruction, alu: &Alu) -> impl Iterator<Item = String> {
    let printer = Printer::new(instruction, alu);
    let shapes = [Shape::Merged, Shape::Rgb, Shape::Alpha, Shape::Pair];
    let styles = [Style::Plain, Style::Listed, Style::Numbered];
    let ways = styles
        .into_iter()
        .flat_map(move |style| shapes.into_iter().map(move |shape| (style, shape)));
    ways.filter_map(move |(style, shape)| printer.text(style, shape))
}

struct Printer {
    instruction: Instruction,
    common: Common,
    flags: String,
    alu: Alu,
    units: [UnitView; 2],
}

impl Printer {
    fn new(instruction: &Instruction, alu: &Alu) -> Printer {
        let common = &instruction.common;
        let comparison = |code| comparison(Comparison::from_code(code));
        let mut results = [Vec::new(), Vec::new()];
        if alu.alu_wmask {
            let text = format!("alu_result{}", comparison(common.alu_result_op.code()));
            results[common.alu_result_sel.code() as usize].push(text);
        }
        if alu.w_omask {
            results[ALPHA].push("w".to_string());
        }
        let view = |n: usize| {
            let view = |input: &Input| InputView {
                sel: input.sel,
                lanes: input.swizzle[..if n == RGB { 3 } else { 1 }].to_vec(),
                modifier: input.modifier,
            };
            UnitView {
                n,
                unit: alu.units[n],
                inputs: alu.units[n].inputs.iter().map(view).collect(),
                clamp: common.clamp[n],
                wmask: common.wmask & UNIT_MASKS[n],
                omask: common.omask & UNIT_MASKS[n],
                more: std::mem::take(&mut results[n]),
            }
        };
        let units = [RGB, ALPHA].map(view);
        Printer {
            instruction: *instruction,
            common: *common,
            flags: flags::text(instruction),
            alu: *alu,
            units,
        }
    }

    fn text(&self, style: Style, shape: Shape) -> Option<String> {
        let [rgb, alpha] = &self.units;
        let body = match shape {
            Shape::Merged => self.merged(style)?,
            Shape::Rgb if alpha.is_idle() => self.half(rgb, style)?,
            Shape::Alpha if rgb.is_idle() => self.half(alpha, style)?,
            Shape::Rgb | Shape::Alpha => return None,
            Shape::Pair => {
                let half = |unit: &UnitView| {
                    if unit.is_idle() { Some("-".to_string()) } else { self.half(unit, style) }
                };
                format!("{} | {}", half(rgb)?, half(alpha)?)
            }
        };
        let mut text = gate(&self.common) + &body + &self.flags;
        let outputs = self.common.omask != 0 || rgb.unit.target != 0 || alpha.unit.target != 0;
        if self.common.class == Type::Out && !outputs {
            text += " @out";
        }
        if style != Style::Plain {
            text += &self.sources()?;
        }
        if style == Style::Numbered {
            let ops: Vec<String> = ["rgb", "a"]
                .iter()
                .zip(self.alu.units)
                .filter(|(_, unit)| unit.presub.code() != 0)
                .map(|(name, unit)| format!("{name}={}", unit.presub.name()))
                .collect();
            if !ops.is_empty() {
                let _ = write!(text, " @srcp({})", ops.join(" "));
            }
        }
        Some(text)
    }

    /// `@src(...)`: every source except unused ones.
    fn sources(&self) -> Option<String> {
        let mut list = Vec::new();
        for (name, unit) in ["rgb", "a"].iter().zip(&self.alu.units) {
            for (n, source) in unit.sources.iter().enumerate() {
                if *source != Source::UNUSED {
                    list.push(format!("{name}{n}={}", self.source_text(*source)?));
                }
            }
        }
        Some(if list.is_empty() { String::new() } else { format!(" @src({})", list.join(" ")) })
    }

    /// Both units as one operation, if they do the same.
    fn merged(&self, style: Style) -> Option<String> {
        let [rgb, alpha] = &self.units;
        let dot = rgb.unit.op.is_dot();
        let scalar = alpha.unit.op.is_transcendental() && rgb.unit.op == AluOp::Sop;
        let (op, inputs) = if scalar {
            if !rgb.inputs.iter().all(InputView::is_default) {
                return None;
            }
            (alpha.unit.op, alpha.inputs.clone())
        } else if dot && rgb.unit.op != AluOp::Dp4 {
            if !alpha.inputs.iter().all(InputView::is_default) {
                return None;
            }
            (rgb.unit.op, rgb.inputs.clone())
        } else {
            let joined = rgb.inputs.iter().zip(&alpha.inputs).map(|(a, b)| {
                // The source numbers may differ if they refer to the same register.
                let named = style != Style::Numbered && self.base(a).is_some();
                let register = a.sel == b.sel || (named && self.base(a) == self.base(b));
                let same = a.modifier == b.modifier && (register || constant(b));
                same.then(|| InputView {
                    sel: a.sel,
                    lanes: [a.lanes.clone(), b.lanes.clone()].concat(),
                    modifier: a.modifier,
                })
            });
            (rgb.unit.op, joined.collect::<Option<Vec<InputView>>>()?)
        };
        let silent = rgb.writes_nothing() || alpha.writes_nothing();
        if silent && !dot && !scalar {
            return None;
        }
        let modified = if rgb.writes_nothing() { alpha } else { rgb };
        let other = if rgb.writes_nothing() { rgb } else { alpha };
        if !silent && (modified.unit.omod, modified.clamp) != (other.unit.omod, other.clamp) {
            return None;
        }
        let operands = self.operands(op, &inputs, style)?;
        self.statement(op, modified, self.destinations(&[rgb, alpha]), operands, style)
    }

    fn half(&self, unit: &UnitView, style: Style) -> Option<String> {
        let op = unit.unit.op;
        let operands = self.operands(op, &unit.inputs, style)?;
        self.statement(op, unit, self.destinations(&[unit]), operands, style)
    }

    fn statement(
        &self,
        op: AluOp,
        unit: &UnitView,
        destinations: String,
        mut operands: Vec<String>,
        style: Style,
    ) -> Option<String> {
        if op.is_reserved() {
            return None;
        }
        let mut name = op.name().to_ascii_lowercase();
        let mut omod = match unit.unit.omod {
            Omod::X1 => String::new(),
            Omod::Disabled => ".exact".to_string(),
            // The names end with the factor.
            omod => match omod.name().rsplit_once('_') {
                Some((kind, factor)) if kind.contains('_') => format!("/{factor}"),
                Some((_, factor)) => format!("*{factor}"),
                None => return None,
            },
        };
        if style != Style::Numbered {
            shorten(&mut name, &mut omod, &mut operands);
        }
        let sat = if unit.clamp { ".sat" } else { "" };
        let mut text = format!("{name}{omod}{sat} {destinations}");
        for operand in operands {
            let _ = write!(text, ", {operand}");
        }
        Some(text)
    }

    /// The destinations of a unit, or of both together.
    fn destinations(&self, units: &[&UnitView]) -> String {
        let mut list: Vec<String> = Vec::new();
        let both = units.len() == 2;
        let full = match units {
            [unit] => UNIT_MASKS[unit.n],
            _ => 15,
        };
        let with_mask = |register: String, channels: u8| {
            if channels == full && both {
                register
            } else {
                format!("{register}.{}", mask_text(channels))
            }
        };
        let temps = units.iter().map(|unit| (unit.dest(), unit.wmask));
        for ((addr, relative), channels) in joined(temps, (0, false)) {
            list.push(with_mask(self.register(addr, relative), channels));
        }
        let targets = units.iter().map(|unit| (unit.unit.target, unit.omask));
        for (target, channels) in joined(targets, 0) {
            let code = target.into();
            list.push(match self.common.class {
                Type::Out => with_mask(format!("o{}", Target::from_code(code).code()), channels),
                _ => {
                    with_mask("p".to_string(), channels) + &comparison(Comparison::from_code(code))
                }
            });
        }
        for unit in units {
            for text in &unit.more {
                // A merged statement uses the red lane unless alpha is named.
                let named =
                    both && unit.n == ALPHA && self.common.alu_result_sel == AluResultSel::Alpha;
                list.push(if named {
                    text.replace("alu_result", "alu_result.a")
                } else {
                    text.clone()
                });
            }
        }
        if list.is_empty() { "_".to_string() } else { list.join(" & ") }
    }

    /// Operands: those that the operation requires, and any further inputs that are not default.
    fn operands(&self, op: AluOp, inputs: &[InputView], style: Style) -> Option<Vec<String>> {
        let given = inputs.iter().rposition(|input| !input.is_default()).map_or(0, |last| last + 1);
        inputs[..required(op).max(given)].iter().map(|input| self.operand(input, style)).collect()
    }

    fn operand(&self, input: &InputView, style: Style) -> Option<String> {
        let lanes = &input.lanes;
        let text = if constant(input) && (input.sel == Sel::Src0 || lanes.len() == 4) {
            let first = lanes[0];
            match lanes.iter().all(|lane| *lane == first) {
                true if first == Swizzle::Zero => "0".to_string(),
                true if first == Swizzle::Half => "0.5".to_string(),
                true if first == Swizzle::One => "1".to_string(),
                _ => format!(".{}", letters(lanes)),
            }
        } else if style == Style::Numbered || constant(input) {
            format!("{}{}", input.sel.name(), swizzle(lanes, false))
        } else if input.sel == Sel::Srcp {
            let sum = self.base(input)?;
            let swizzle = swizzle(lanes, false);
            match (swizzle.is_empty(), input.modifier) {
                (true, Modifier::Nop | Modifier::Abs | Modifier::Nab) => sum,
                _ => format!("({sum}){swizzle}"),
            }
        } else {
            let source = self.source(input);
            let inline = matches!(source.kind(), SourceKind::Inline(_));
            let (text, swizzle) = (self.base(input)?, swizzle(lanes, inline));
            // Directly after a number, the swizzle's digits would read as decimals.
            if inline && (swizzle.starts_with(".0") || swizzle.starts_with(".1")) {
                format!("({text}){swizzle}")
            } else {
                text + &swizzle
            }
        };
        Some(match input.modifier {
            Modifier::Nop => text,
            Modifier::Neg => format!("-{text}"),
            Modifier::Abs => format!("|{text}|"),
            Modifier::Nab => format!("-|{text}|"),
        })
    }

    /// The source address of an input, on the side that its lanes read.
    fn source(&self, input: &InputView) -> Source {
        let n = (input.sel.code() as usize).min(2);
        self.unit(input).sources[n]
    }

    /// The unit on whose side an input's lanes read.
    fn unit(&self, input: &InputView) -> &Unit {
        &self.alu.units[if input.lanes.iter().any(|lane| lane.code() < 3) { RGB } else { ALPHA }]
    }

    /// The register, number or sum that an input reads, without swizzle and sign.
    fn base(&self, input: &InputView) -> Option<String> {
        match input.sel {
            Sel::Srcp => self.sum(self.unit(input)),
            _ => self.source_text(self.source(input)),
        }
    }

    /// A unit's presubtract.
    fn sum(&self, unit: &Unit) -> Option<String> {
        let source0 = self.source_text(unit.sources[0])?;
        let source1 = || self.source_text(unit.sources[1]);
        Some(match unit.presub {
            Presub::Bias => format!("1-2*{source0}"),
            Presub::Inv => format!("1-{source0}"),
            Presub::Sub => format!("{}-{source0}", source1()?),
            Presub::Add => format!("{source0}+{}", source1()?),
        })
    }

    /// A source as operand text. Inline constants have no relative form.
    fn source_text(&self, source: Source) -> Option<String> {
        match (source.kind(), source.relative) {
            (SourceKind::Temp(n), relative) => Some(self.register(n, relative)),
            (SourceKind::Constant(n), false) => Some(format!("c{n}")),
            (SourceKind::Constant(0), true) => Some("c[aL]".to_string()),
            (SourceKind::Constant(n), true) => Some(format!("c[aL+{n}]")),
            (SourceKind::Inline(code), false) => Some(inline_value(code).to_string()),
            (SourceKind::Inline(_), true) => None,
        }
    }

    /// A temporary or global register.
    fn register(&self, addr: u8, relative: bool) -> String {
        match self.instruction.register(addr, relative) {
            Register::Temp(n, relative) => temp(n, relative),
            Register::Global(n, false) => format!("g{n}"),
            Register::Global(0, true) => "g[ar.x]".to_string(),
            Register::Global(n, true) => format!("g[ar.x+{n}]"),
        }
    }
}

/// Destinations with their masks; units that write the same one share it. Without a mask the default
/// is no destination.
fn joined<T: PartialEq>(units: impl Iterator<Item = (T, u8)>, default: T) -> Vec<(T, u8)> {
    let mut list: Vec<(T, u8)> = Vec::new();
    for (thing, mask) in units.filter(|(thing, mask)| *mask != 0 || *thing != default) {
        match list.iter_mut().find(|(other, _)| *other == thing) {
            Some((_, channels)) => *channels |= mask,
            None => list.push((thing, mask)),
        }
    }
    list
}

/// Replaces the operation by an equivalent pseudo-operation: `mov`, `movx`, `add`, `sub`, `mul`.
fn shorten(name: &mut String, omod: &mut String, operands: &mut Vec<String>) {
    match (name.as_str(), operands.as_slice()) {
        ("max", [a, b]) if a == b => {
            let exact = omod == ".exact";
            *name = if exact { "movx" } else { "mov" }.to_string();
            if exact {
                omod.clear();
            }
            operands.pop();
        }
        ("mad", [_, one, c]) if one == "1" && c != "0" => {
            operands.remove(1);
            let subtract = operands[1].strip_prefix('-').map(str::to_string);
            *name = if subtract.is_some() { "sub" } else { "add" }.to_string();
            if let Some(positive) = subtract {
                operands[1] = positive;
            }
        }
        ("mad", [_, b, zero]) if zero == "0" && b != "1" => {
            operands.pop();
            *name = "mul".to_string();
        }
        _ => {}
    }
}

/// Whether no lane reads a register.
fn constant(input: &InputView) -> bool {
    input.lanes.iter().all(|lane| lane.code() > 3)
}

/// The swizzle with its dot; empty for the identity, or for the default swizzle of a number.
fn swizzle(lanes: &[Swizzle], inline: bool) -> String {
    use Swizzle::{A, B, G, R};
    let plain: &[&[Swizzle]] =
        if inline { &[&[R, R, R], &[A], &[R, R, R, A]] } else { &[&[R, G, B], &[R, G, B, A]] };
    if plain.contains(&lanes) {
        return String::new();
    }
    if lanes.iter().all(|lane| *lane == lanes[0]) {
        format!(".{}", lanes[0].name())
    } else {
        format!(".{}", letters(lanes))
    }
}

/// A comparison with 0.
fn comparison(comparison: Comparison) -> String {
    let sign = SIGNS.iter().find(|(_, found)| *found == comparison);
    sign.map_or(String::new(), |(sign, _)| format!("{sign}0"))
}

/// `(p.r) `, or an empty string.
pub(super) fn gate(common: &Common) -> String {
    let one = |unit: usize| {
        let not = if common.pred_inv[unit] { "!" } else { "" };
        match common.pred_sel[unit] {
            PredSel::None => format!("{not}1"),
            PredSel::Rgba => format!("{not}p"),
            // The name in the table is the letter four times.
            sel => format!("{not}p.{}", sel.name()[..1].to_ascii_lowercase()),
        }
    };
    let [rgb, alpha] = [one(RGB), one(ALPHA)];
    match (rgb == alpha, rgb.as_str()) {
        (true, "1") => String::new(),
        (true, _) => format!("({rgb}) "),
        (false, _) => format!("({rgb}, {alpha}) "),
    }
}

/// `r3` or `r[aL+3]`.
pub(super) fn temp(addr: u8, relative: bool) -> String {
    match (relative, addr) {
        (false, n) => format!("r{n}"),
        (true, 0) => "r[aL]".to_string(),
        (true, n) => format!("r[aL+{n}]"),
    }
}
