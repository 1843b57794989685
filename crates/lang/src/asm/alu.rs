//! Turns ALU and OUT statements into instructions: operations, destinations, operands, sources.

use super::destinations::{self, Scope, Targets};
use super::draft::{Context, Draft};
use super::inputs::{self, Input, Lanes, Position};
use super::mnemonics::{all_names, named};
use super::slots::{self, Slots, Way};
use super::syntax::*;
use ctm_base::text::{At, Parsed};
use ctm_isa::isa::{
    ALPHA, Alu, AluOp, Body, FieldValue, Instruction, Omod, PRESUBS, Presub, RGB, Sel, Source,
    Swizzle, Type,
};
use std::borrow::Cow;
use std::sync::LazyLock;

/// An instruction in which nothing is set.
static BLANK: LazyLock<Instruction> = LazyLock::new(|| Instruction::blank(Type::Alu));

/// The most inputs of an instruction.
const INPUTS: usize = 6;

/// The instruction of a statement with one or two halves, without gates and flags.
pub(super) fn encode<'s>(
    context: &mut Context<'_, 's>,
    statement: &Statement<'s>,
    halves: &[Half<'s>],
) -> Parsed<Draft<'s>> {
    context.names.relative.take();
    let mut instruction = *BLANK;
    instruction.sharing = context.names.sharing.is_some();
    let Body::Alu(alu) = &mut instruction.body else {
        return Err(statement.span.error("not an ALU instruction"));
    };
    let mut builder = Builder {
        inputs: Vec::with_capacity(INPUTS),
        slots: Slots::default(),
        targets: Targets::default(),
        ops: [AluOp::Mad; 2],
        omods: [Omod::X1; 2],
        clamps: [false; 2],
    };
    source_flags(context, statement, &mut builder.slots, alu)?;
    let positions: &[Position] = match halves {
        [half] if half.idle => {
            return Err(half.span.error("`-` is an idle unit of a pair").help(
                "write `- | operation ...`, or `mad _, ...` for an instruction without effect",
            ));
        }
        [_] => &[Position::Whole],
        _ => &[Position::Rgb, Position::Alpha],
    };
    for (half, position) in halves.iter().zip(positions).filter(|(half, _)| !half.idle) {
        builder.add(context, half, *position)?;
    }
    builder.finish(statement, alu)?;
    builder.targets.apply(&mut instruction.common, alu)?;
    instruction.common.clamp = builder.clamps;
    let mode = context.names.relative.get().mode(statement.span)?;
    instruction.common.stat_we = mode.code() as u8;
    Ok(Draft::new(instruction, statement.span))
}

/// The parts of an instruction. Its inputs wait for their source numbers.
struct Builder {
    inputs: Vec<Input>,
    slots: Slots,
    targets: Targets,
    /// Of the RGB unit and of the alpha unit.
    ops: [AluOp; 2],
    omods: [Omod; 2],
    clamps: [bool; 2],
}

/// `@src(rgb0=r1 a2=0.5)` and `@srcp(rgb=SUB)`.
fn source_flags<'s>(
    context: &Context<'_, 's>,
    statement: &Statement<'s>,
    slots: &mut Slots,
    alu: &mut Alu,
) -> Parsed<()> {
    for flag in &statement.flags {
        let presub = match flag.name.node.to_ascii_lowercase().as_str() {
            "src" => false,
            "srcp" => true,
            _ => continue,
        };
        for argument in &flag.arguments {
            let At { node: key, span } = argument.key;
            let key = key.to_ascii_lowercase();
            let value = argument.value.ok_or_else(|| span.error("expected slot=value"))?;
            if presub {
                let op = match value.node {
                    Term::Register(RegisterRef::Name(name)) => named::<Presub>(PRESUBS, name),
                    _ => None,
                };
                let op = op.ok_or_else(|| {
                    value
                        .span
                        .error("unknown presubtract operation")
                        .help(format!("the operations are {}", all_names(PRESUBS)))
                })?;
                let unit = ["rgb", "a"].iter().position(|name| *name == key);
                let unit = unit.ok_or_else(|| span.error("unknown unit").help("write rgb or a"))?;
                alu.units[unit].presub = op;
                continue;
            }
            let source = match value.node {
                Term::Number(number) => inputs::inline(number).ok_or_else(|| {
                    value.span.error(format!("{number} is not an inline constant"))
                })?,
                Term::Register(register) => {
                    let found = context.names.resolve(At::new(register, value.span))?;
                    let what = found.describe();
                    inputs::source(found)
                        .ok_or_else(|| value.span.error(format!("{what} cannot be a source")))?
                }
            };
            const NAMES: [&str; 6] = ["rgb0", "rgb1", "rgb2", "a0", "a1", "a2"];
            let n = NAMES.iter().position(|name| *name == key).ok_or_else(|| {
                span.error(format!("unknown source `{key}`"))
                    .help(format!("the sources are {}", NAMES.join(", ")))
            })?;
            slots[n % 3][n / 3] = Some(source);
        }
    }
    Ok(())
}

/// The operands of a half in the order A, B, C, including those that a pseudo-operation adds.
fn operands<'h, 's>(half: &'h Half<'s>) -> Parsed<Cow<'h, [Operand<'s>]>> {
    let given = half.operands.len();
    let required = half.operation.required();
    let most = if half.operation.pseudo.is_some() { required } else { 3 };
    if given < required || given > most {
        let plural = if required == 1 { "" } else { "s" };
        return Err(half
            .span
            .error(format!("{} takes {required} operand{plural}, not {given}", half.name())));
    }
    let constant = |value| Operand::new(half.span, Value::Term(Term::Number(value)), None);
    let mut list = Cow::Borrowed(&half.operands[..]);
    match half.pseudo() {
        "mov" | "movx" => list.to_mut().push(half.operands[0].clone()),
        "add" => list.to_mut().insert(1, constant(1.0)),
        "sub" => {
            list.to_mut().insert(1, constant(1.0));
            list.to_mut()[2].negate();
        }
        "mul" => list.to_mut().push(constant(0.0)),
        _ => {}
    }
    Ok(list)
}

/// The operations of both units for one half without a second.
fn both_ops(half: &Half<'_>) -> Parsed<[AluOp; 2]> {
    match half.operation.units {
        [Some(rgb), Some(alpha)] => Ok([rgb, alpha]),
        // The alpha unit copies a dot product of the RGB unit; the RGB unit copies a
        // transcendental.
        [Some(rgb), None] if rgb.is_dot() => Ok([rgb, AluOp::Dp]),
        [None, Some(alpha)] if alpha.is_transcendental() => Ok([AluOp::Sop, alpha]),
        [rgb, _] => {
            let example = match rgb {
                Some(_) => "sop r0.rgb | rcp r0.a, r1.r",
                None => "dp3 r0.rgb, r1, r2 | dp r0.a",
            };
            Err(half
                .op
                .span
                .error(format!(
                    "{} copies the other unit's result, which this line does not compute",
                    half.name()
                ))
                .help(format!("write both halves, for example `{example}`")))
        }
    }
}

impl Builder {
    /// Adds an operation on the channels of its destinations, in one unit or both.
    fn add<'s>(
        &mut self,
        context: &mut Context<'_, 's>,
        half: &Half<'s>,
        position: Position,
    ) -> Parsed<()> {
        let [rgb_op, alpha_op] = half.operation.units;
        let pseudo = half.pseudo();
        let whole = position == Position::Whole;
        if rgb_op == Some(AluOp::MovaFloor) && context.names.sharing.is_none() {
            return Err(half
                .op
                .span
                .error("mova_floor needs data sharing")
                .help("`.sharing global=4` gives the program four global registers"));
        }
        let alpha_only = whole && rgb_op.is_none();
        let Scope { units, mask } =
            destinations::read(context, half, position, alpha_only, &mut self.targets)?;
        let missing = match position {
            Position::Whole => None,
            Position::Rgb => rgb_op.is_none().then_some(("RGB", "sop")),
            Position::Alpha => (alpha_op.is_none() || pseudo == "dp2").then_some(("alpha", "dp")),
        };
        if let Some((unit, other)) = missing {
            return Err(half
                .op
                .span
                .error(format!("the {unit} unit has no operation {}", half.name()))
                .help(format!("`{other}` copies the other unit's result")));
        }
        let operands = operands(half)?;
        let ops = match position {
            Position::Whole if rgb_op == Some(AluOp::MovaFloor) && !units[ALPHA] => {
                [AluOp::MovaFloor, AluOp::Mad]
            }
            Position::Whole => both_ops(half)?,
            _ => [rgb_op, alpha_op].map(|op| op.unwrap_or(AluOp::Mad)),
        };
        // A transcendental's operand feeds only the alpha unit. A dot product's operands feed the
        // RGB unit (DP4's feed both). All others feed the units that have a destination.
        let dot = position != Position::Alpha && rgb_op.is_some_and(AluOp::is_dot);
        let four = whole && rgb_op == Some(AluOp::Dp4);
        let lanes = Lanes {
            rgb: !alpha_only && (units[0] || dot),
            alpha: alpha_only || four || (units[1] && !dot),
            mask: (!dot && !alpha_only && position != Position::Alpha).then_some(mask),
            name_needed: alpha_only && units[0],
        };
        for (index, operand) in operands.iter().enumerate() {
            let before = self.inputs.len();
            inputs::build(context, operand, &lanes, index, &mut self.inputs)?;
            for input in self.inputs[before..].iter_mut().filter(|_| pseudo == "dp2") {
                input.lanes[2] = Swizzle::Zero;
            }
        }
        let exact = pseudo == "movx";
        let omod = half.omod.map_or(Omod::X1, |omod| omod.node);
        let omod = if exact { Omod::Disabled } else { omod };
        if let Some(span) = half.saturate.filter(|_| omod == Omod::Disabled) {
            return Err(span
                .error("an exact result cannot be clamped")
                .help("leave out .sat, or .exact (the x of movx)"));
        }
        let computes = [units[RGB] || dot, units[ALPHA] || alpha_only || four];
        for unit in [RGB, ALPHA] {
            if units[unit] {
                (self.omods[unit], self.clamps[unit]) = (omod, half.saturate.is_some());
            }
            if computes[unit] {
                self.ops[unit] = ops[unit];
            }
        }
        Ok(())
    }

    /// Assigns the sources and fills in the units.
    fn finish(&mut self, statement: &Statement<'_>, alu: &mut Alu) -> Parsed<()> {
        for input in &mut self.inputs {
            // MDH and MDV take A and C from address 0, whatever their selects are, so operand A
            // must be there. An operand that names a slot keeps it.
            let neighbour = self.ops[input.unit].is_neighbour();
            if neighbour && input.index != 1 && input.slot.is_none() && !input.srcp {
                input.slot = Some(0);
            }
        }
        presubtracts(&self.inputs, &mut self.slots, alu)?;
        let mut free = Vec::with_capacity(INPUTS);
        for input in self.inputs.iter_mut().filter(|input| !input.ways().is_empty()) {
            match input.slot {
                None => free.push(input),
                Some(slot) if slots::put(&mut self.slots[slot], &input.ways()[0]) => {}
                Some(slot) => {
                    return Err(input.span.error(format!(
                        "this operand must be source {slot}, which holds another register"
                    )));
                }
            }
        }
        // Inputs that read only the other unit's addresses come last, as in Mesa's compiler.
        free.sort_by_key(|input| !input.reads_side(input.unit));
        let ways: Vec<&[Way]> = free.iter().map(|input| input.ways()).collect();
        let Some(choices) = slots::solve(&mut self.slots, &ways) else {
            return Err(statement.span.error("this instruction reads too many registers")
                .label("three sources for r, g, b and three for a, of the same numbers where an operand mixes both")
                .help("move one operand to a temporary that holds another one already, or split the instruction"));
        };
        for (input, choice) in free.into_iter().zip(choices) {
            input.slot = Some(choice.slot);
            if choice.way > 0 {
                input.lanes = [if input.unit == RGB { Swizzle::A } else { Swizzle::R }; 3];
            }
        }
        for input in &self.inputs {
            let slot = input.slot.unwrap_or(0);
            let sel = if input.srcp { Sel::Srcp } else { Sel::from_code(slot as u32) };
            let part = &mut alu.units[input.unit].inputs[input.index];
            (part.sel, part.swizzle, part.modifier) = (sel, input.lanes, input.modifier);
        }
        for (n, unit) in alu.units.iter_mut().enumerate() {
            unit.sources = self.slots.map(|slot| slot[n].unwrap_or(Source::UNUSED));
            (unit.op, unit.omod) = (self.ops[n], self.omods[n]);
        }
        Ok(())
    }
}

/// Places the sources of presubtracts, which are always sources 0 and 1.
fn presubtracts(inputs: &[Input], slots: &mut Slots, alu: &mut Alu) -> Parsed<()> {
    let mut units: [Option<Presub>; 2] = [None; 2];
    for (input, (op, sources)) in inputs.iter().filter_map(|input| Some((input, input.presub?))) {
        for side in (0..2).filter(|side| input.reads_side(*side)) {
            let fits = sources.into_iter().zip(&mut *slots).all(|(source, slot)| {
                let mut way = [None; 2];
                way[side] = source;
                slots::put(slot, &way)
            });
            if !fits || units[side].replace(op).is_some_and(|other| other != op) {
                let unit = ["RGB", "alpha"][side];
                return Err(input
                    .span
                    .error(format!("a second, different sum in the {unit} unit"))
                    .help("each unit forms one sum an instruction, from its sources 0 and 1"));
            }
        }
    }
    for (unit, op) in alu.units.iter_mut().zip(units) {
        unit.presub = op.unwrap_or(unit.presub);
    }
    Ok(())
}
