//! Destinations of a half: temporaries, outputs, predicates, ALU result, conditional output.

use super::diagnostics::{Diagnostic, Span};
use super::inputs::Place;
use super::lower::Context;
use super::names::Register;
use super::syntax::{Half, Word};
use crate::isa::{Alu, AluResultSel, CHANNELS, Common, Comparison, FieldValue, Type};

/// The channels that a half writes, in all its destinations together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope {
    pub rgb: bool,
    pub alpha: bool,
    /// Bit 0 R to bit 3 A.
    pub mask: u8,
}

/// One unit's temporary, with its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Temp {
    addr: u8,
    relative: bool,
}

/// All destinations of an instruction; index 0 is the RGB unit, 1 the alpha unit.
#[derive(Default)]
pub(super) struct Targets {
    wmask: u8,
    temps: [Option<Temp>; 2],
    omask: u8,
    outputs: [Option<(u8, Span)>; 2],
    predicates: [Option<(Comparison, Span)>; 2],
    alu_result: Option<(AluResultSel, Comparison)>,
    w: bool,
}

const RGB: u8 = 7;
const ALPHA: u8 = 8;

/// The channels of a mask, from the table; `_` has none.
pub(super) fn mask(text: Word<'_>) -> Result<u8, Diagnostic> {
    if text.node == "_" {
        return Ok(0);
    }
    let mut mask = 0;
    for letter in text.node.chars() {
        let Some(channel) = CHANNELS
            .iter()
            .position(|code| code.name.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4])))
        else {
            return Err(Diagnostic::new(
                text.span,
                format!("`{letter}` is not a channel of a mask"),
            )
            .help("a mask has letters of rgba, in this order, or is `_`"));
        };
        let bit = 1 << channel;
        if mask >= bit {
            return Err(Diagnostic::new(
                text.span,
                "the letters of a mask must be in the order rgba, each at most once",
            ));
        }
        mask |= bit;
    }
    Ok(mask)
}

/// The channels that a half may write.
fn allowed(place: Place) -> u8 {
    match place {
        Place::Whole => RGB | ALPHA,
        Place::Rgb => RGB,
        Place::Alpha => ALPHA,
    }
}

/// The channels that an RGB half writes, for swizzles with one letter per written channel.
pub(super) fn mask_of(context: &Context<'_, '_>, half: &Half<'_>) -> Result<u8, Diagnostic> {
    let mut all = 0;
    for destination in &half.destinations {
        let register =
            context.names.resolve(destination.register.node, destination.register.span)?;
        if matches!(register, Register::Temp(..) | Register::Output(_) | Register::Predicate) {
            all |= destination.mask.map_or(Ok(RGB), mask)?;
        }
    }
    Ok(all & RGB)
}

/// Reads the destinations of a half into `targets`. Returns the units and channels that it writes.
pub(super) fn read<'s>(
    context: &Context<'_, 's>,
    half: &Half<'s>,
    place: Place,
    alpha_only: bool,
    targets: &mut Targets,
) -> Result<Scope, Diagnostic> {
    let mut scope = Scope::default();
    for destination in &half.destinations {
        let span = destination.register.span;
        let register = context.names.resolve(destination.register.node, span)?;
        let allowed = allowed(place);
        let channels = match destination.mask {
            Some(text) => {
                let channels = mask(text)?;
                if channels & !allowed != 0 {
                    let (unit, other) =
                        if place == Place::Rgb { ("RGB", "r, g, b") } else { ("alpha", "a") };
                    return Err(Diagnostic::new(
                        text.span,
                        format!("this half is the {unit} unit's, which writes {other}"),
                    )
                    .help(
                        "the first half of a pair is the RGB unit's, the second the alpha unit's",
                    ));
                }
                channels
            }
            None => allowed,
        };
        if let Some(comparison) = destination.comparison
            && !matches!(register, Register::Predicate | Register::AluResult)
        {
            return Err(Diagnostic::new(
                comparison.span,
                "only p and alu_result are set by a comparison",
            ));
        }
        match register {
            Register::Temp(addr, relative) => {
                let temp = Temp { addr, relative };
                for (unit, lanes) in [RGB, ALPHA].into_iter().enumerate() {
                    // An empty mask still sets the address in the units of the half.
                    if channels & lanes == 0 && !(channels == 0 && allowed & lanes != 0) {
                        continue;
                    }
                    match targets.temps[unit] {
                        Some(other) if other != temp => {
                            return Err(Diagnostic::new(
                                span,
                                "a unit writes one temporary an instruction",
                            )
                            .label("a second temporary"));
                        }
                        _ => targets.temps[unit] = Some(temp),
                    }
                }
                targets.wmask |= channels;
                add(&mut scope, channels);
            }
            Register::Output(n) => {
                for (unit, lanes) in [RGB, ALPHA].into_iter().enumerate() {
                    if channels & lanes == 0 && !(channels == 0 && allowed & lanes != 0) {
                        continue;
                    }
                    match targets.outputs[unit] {
                        Some((other, _)) if other != n => {
                            return Err(Diagnostic::new(
                                span,
                                "a unit writes one output an instruction",
                            )
                            .label("a second output"));
                        }
                        _ => targets.outputs[unit] = Some((n, span)),
                    }
                }
                targets.omask |= channels;
                add(&mut scope, channels);
            }
            Register::Predicate => {
                let Some(comparison) = destination.comparison else {
                    return Err(Diagnostic::new(span, "how is the predicate set?")
                        .help("compare the result with 0: p.rgb<0, p.a==0, p>=0, p.r!=0"));
                };
                for (unit, lanes) in [RGB, ALPHA].into_iter().enumerate() {
                    if channels & lanes == 0 && !(channels == 0 && allowed & lanes != 0) {
                        continue;
                    }
                    match targets.predicates[unit] {
                        Some((other, _)) if other != comparison.node => {
                            return Err(Diagnostic::new(
                                comparison.span,
                                "a unit makes one comparison for its predicate bits",
                            )
                            .label("a second comparison"));
                        }
                        _ => targets.predicates[unit] = Some((comparison.node, span)),
                    }
                }
                targets.omask |= channels;
                add(&mut scope, channels);
            }
            Register::AluResult => {
                let Some(comparison) = destination.comparison else {
                    return Err(Diagnostic::new(span, "how is the ALU result set?")
                        .help("compare with 0: alu_result<0, alu_result.a>=0"));
                };
                let sel = match destination.mask {
                    Some(text) => match channels {
                        1 => AluResultSel::Red,
                        ALPHA => AluResultSel::Alpha,
                        _ => {
                            return Err(Diagnostic::new(
                                text.span,
                                "the ALU result is taken from r or from a",
                            ));
                        }
                    },
                    None if place == Place::Alpha || (place == Place::Whole && alpha_only) => {
                        AluResultSel::Alpha
                    }
                    None => AluResultSel::Red,
                };
                if targets.alu_result.is_some() {
                    return Err(Diagnostic::new(span, "an instruction sets one ALU result"));
                }
                targets.alu_result = Some((sel, comparison.node));
                add(&mut scope, if sel == AluResultSel::Red { 1 } else { ALPHA });
            }
            Register::W => {
                if place == Place::Rgb || destination.mask.is_some_and(|_| channels != ALPHA) {
                    return Err(Diagnostic::new(
                        span,
                        "the conditional output w is the alpha unit's result",
                    ));
                }
                targets.w = true;
                add(&mut scope, ALPHA);
            }
            Register::Nothing => {}
            other => {
                return Err(Diagnostic::new(
                    span,
                    format!("{} cannot be a destination", other.describe()),
                ));
            }
        }
    }
    if !scope.rgb && !scope.alpha {
        // Nothing is written, so the operation determines the unit.
        scope.alpha = place == Place::Alpha || alpha_only;
        scope.rgb = !scope.alpha;
    }
    Ok(scope)
}

fn add(scope: &mut Scope, channels: u8) {
    scope.rgb |= channels & RGB != 0;
    scope.alpha |= channels & ALPHA != 0;
    scope.mask |= channels;
}

impl Targets {
    /// Sets masks, addresses and targets of the instruction.
    pub fn apply(&self, common: &mut Common, alu: &mut Alu) -> Result<(), Diagnostic> {
        (common.wmask, common.omask) = (self.wmask, self.omask);
        for (unit, temp) in alu.units.iter_mut().zip(&self.temps) {
            if let Some(temp) = temp {
                (unit.dest, unit.dest_rel) = (temp.addr, temp.relative);
            }
        }
        let output = self.outputs.iter().flatten().next();
        let predicate = self.predicates.iter().flatten().next();
        if let (Some(_), Some((_, span))) = (output, predicate) {
            return Err(Diagnostic::new(
                *span,
                "an instruction writes outputs or predicates, not both",
            )
            .help("split it in two"));
        }
        if output.is_some() {
            common.class = Type::Out;
        }
        for (n, unit) in alu.units.iter_mut().enumerate() {
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
