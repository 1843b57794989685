//! Destinations of a half: temporaries, outputs, predicates, ALU result, conditional output.

use super::draft::Context;
use super::inputs::Position;
use super::names::{Register, mask};
use super::syntax::Half;
use ctm_base::text::{Diagnostic, Parsed, Span};
use ctm_isa::isa::{
    ALPHA, Alu, AluResultSel, Common, Comparison, FieldValue, RGB, Type, UNIT_MASKS,
};

/// The channels and units that a half writes, in all its destinations together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope {
    /// Whether it writes results of the RGB unit and of the alpha unit.
    pub units: [bool; 2],
    /// Bit 0 R to bit 3 A.
    pub mask: u8,
}

/// The name and position of one destination of each unit; index 0 is the RGB unit, 1 the alpha
/// unit.
type Units<T> = [Option<(T, Span)>; 2];

/// All destinations of an instruction.
#[derive(Default)]
pub(super) struct Targets {
    wmask: u8,
    /// Address, and whether aL is added.
    temps: Units<(u8, bool)>,
    omask: u8,
    outputs: Units<u8>,
    predicates: Units<Comparison>,
    alu_result: Option<(AluResultSel, Comparison)>,
    w: bool,
}

/// Names the destination of the units whose channels are written, or, by an empty mask, of all units
/// of the half. An error if one of them has another destination of this kind.
fn claim<T: Copy + PartialEq>(
    units: &mut Units<T>,
    (channels, allowed): (u8, u8),
    (thing, span): (T, Span),
    (message, label): (&str, &str),
) -> Parsed<u8> {
    let named = if channels == 0 { allowed } else { channels };
    let mut units = units.iter_mut().zip(UNIT_MASKS).filter(|(_, lanes)| named & lanes != 0);
    let one = units.all(|(unit, _)| {
        let before = unit.replace((thing, span));
        before.is_none_or(|(other, _)| other == thing)
    });
    if one { Ok(channels) } else { Err(span.error(message).label(label)) }
}

/// Reads the destinations of a half into `targets`. Returns the units and channels that it writes.
pub(super) fn read<'s>(
    context: &Context<'_, 's>,
    half: &Half<'s>,
    position: Position,
    alpha_only: bool,
    targets: &mut Targets,
) -> Parsed<Scope> {
    let allowed = match position {
        Position::Whole => 15,
        Position::Rgb => UNIT_MASKS[RGB],
        Position::Alpha => UNIT_MASKS[ALPHA],
    };
    let mut scope = Scope::default();
    for destination in &half.destinations {
        let span = destination.register.span;
        let register = context.names.resolve(destination.register)?;
        let channels = destination.mask.map_or(Ok(allowed), mask)?;
        if let Some(text) = destination.mask.filter(|_| channels & !allowed != 0) {
            let (unit, other) =
                if position == Position::Rgb { ("RGB", "r, g, b") } else { ("alpha", "a") };
            return Err(text
                .span
                .error(format!("this half is the {unit} unit's, which writes {other}"))
                .help("the first half of a pair is the RGB unit's, the second the alpha unit's"));
        }
        if let Some(comparison) = destination.comparison
            && !matches!(register, Register::Predicate | Register::AluResult)
        {
            return Err(comparison.span.error("only p and alu_result are set by a comparison"));
        }
        let masks = (channels, allowed);
        let written = match register {
            Register::Temp(addr, _) | Register::Global(addr, _) => {
                let relative = !matches!(register, Register::Temp(_, false));
                let texts = ("a unit writes one temporary an instruction", "a second temporary");
                targets.wmask |= channels;
                claim(&mut targets.temps, masks, ((addr, relative), span), texts)?
            }
            Register::Output(n) => {
                let texts = ("a unit writes one output an instruction", "a second output");
                targets.omask |= channels;
                claim(&mut targets.outputs, masks, (n, span), texts)?
            }
            Register::Predicate => {
                let comparison = destination.comparison.ok_or_else(|| {
                    span.error("how is the predicate set?")
                        .help("compare the result with 0: p.rgb<0, p.a==0, p>=0, p.r!=0")
                })?;
                let texts =
                    ("a unit makes one comparison for its predicate bits", "a second comparison");
                targets.omask |= channels;
                claim(&mut targets.predicates, masks, (comparison.node, span), texts)
                    .map_err(|error| Diagnostic { span: comparison.span, ..error })?
            }
            Register::AluResult => {
                let comparison = destination.comparison.ok_or_else(|| {
                    span.error("how is the ALU result set?")
                        .help("compare with 0: alu_result<0, alu_result.a>=0")
                })?;
                let sel = match destination.mask {
                    Some(_) if channels == 1 => AluResultSel::Red,
                    Some(_) if channels == 8 => AluResultSel::Alpha,
                    Some(text) => {
                        return Err(text.span.error("the ALU result is taken from r or from a"));
                    }
                    None if position == Position::Alpha || alpha_only => AluResultSel::Alpha,
                    None => AluResultSel::Red,
                };
                if targets.alu_result.replace((sel, comparison.node)).is_some() {
                    return Err(span.error("an instruction sets one ALU result"));
                }
                if sel == AluResultSel::Red { 1 } else { 8 }
            }
            Register::W => {
                if position == Position::Rgb || destination.mask.is_some_and(|_| channels != 8) {
                    return Err(span.error("the conditional output w is the alpha unit's result"));
                }
                targets.w = true;
                8
            }
            Register::Nothing => 0,
            other => {
                let error = span.error(format!("{} cannot be a destination", other.describe()));
                return Err(match other {
                    Register::Float(..) | Register::Int(_) | Register::Bool(_) => {
                        error.help("a program reads constants; the job or a `.literal` gives them")
                    }
                    Register::Input(_) => error.help("a program reads inputs; write to an output"),
                    _ => error,
                });
            }
        };
        // The ALU result is no channel that a swizzle of a pair's half has a letter for.
        if position == Position::Whole || register != Register::AluResult {
            scope.mask |= written;
        }
    }
    scope.units = match position {
        Position::Rgb => [true, false],
        Position::Alpha => [false, true],
        // If nothing is written, the operation determines the unit.
        Position::Whole if scope.mask == 0 => [!alpha_only, alpha_only],
        Position::Whole => UNIT_MASKS.map(|mask| scope.mask & mask != 0),
    };
    Ok(scope)
}

impl Targets {
    /// Sets masks, addresses and targets of the instruction.
    pub fn apply(&self, common: &mut Common, alu: &mut Alu) -> Parsed<()> {
        (common.wmask, common.omask) = (self.wmask, self.omask);
        let output = self.outputs.iter().flatten().next();
        let predicate = self.predicates.iter().flatten().next();
        if let (Some(_), Some((_, span))) = (output, predicate) {
            return Err(span
                .error("an instruction writes outputs or predicates, not both")
                .help("split it in two"));
        }
        if output.is_some() {
            common.class = Type::Out;
        }
        for (n, unit) in alu.units.iter_mut().enumerate() {
            if let Some((temp, _)) = self.temps[n] {
                (unit.dest, unit.dest_rel) = temp;
            }
            let output = self.outputs[n].map(|(n, _)| n);
            let comparison = self.predicates[n].map(|(comparison, _)| comparison.code() as u8);
            unit.target = output.or(comparison).unwrap_or(0);
        }
        if let Some((sel, op)) = self.alu_result {
            alu.alu_wmask = true;
            (common.alu_result_sel, common.alu_result_op) = (sel, op);
        }
        alu.w_omask = self.w;
        Ok(())
    }
}
