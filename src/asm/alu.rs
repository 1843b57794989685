//! Lowers ALU and OUT statements: operations, destinations, operands, source slots.

use super::destinations::{self, Targets};
use super::diagnostics::Diagnostic;
use super::inputs::{self, Input, Lanes, Place};
use super::lower::{Context, Lowered, set_flag};
use super::mnemonics::{Operation, required};
use super::parser::row;
use super::slots::{self, Slots, Way};
use super::syntax::*;
use crate::isa::{
    self, ALPHA, Alu, AluOp, Body, Common, FieldValue, Instruction, Modifier, Omod, PRESUBS,
    Presub, RGB, Sel, Source, Swizzle, Type,
};

/// Lowers a statement with one or two halves.
pub(super) fn lower<'s>(
    context: &mut Context<'_, 's>,
    statement: &Statement<'s>,
    halves: &[Half<'s>],
) -> Result<Lowered<'s>, Diagnostic> {
    let Instruction { common, body: Body::Alu(alu) } = Instruction::blank(Type::Alu) else {
        return Err(Diagnostic::new(statement.span, "not an ALU instruction"));
    };
    let mut builder = Builder { common, alu, inputs: Vec::new(), slots: Slots::default() };
    slot_flags(context, statement, &mut builder)?;
    let mut targets = Targets::default();
    match halves {
        [half] if half.idle => {
            return Err(Diagnostic::new(half.span, "`-` is an idle unit of a pair").help(
                "write `- | operation ...`, or `mad _, ...` for an instruction without effect",
            ));
        }
        [half] => {
            let operation = Operation::of(half.op.node);
            let alpha_only = operation.units[RGB].is_none();
            let scope = destinations::read(context, half, Place::Whole, alpha_only, &mut targets)?;
            whole(context, &mut builder, half, operation, scope)?;
        }
        [first, second] => {
            for (half, place) in [(first, Place::Rgb), (second, Place::Alpha)] {
                if half.idle {
                    continue;
                }
                destinations::read(context, half, place, false, &mut targets)?;
                one_unit(context, &mut builder, half, place)?;
            }
        }
        _ => {
            return Err(Diagnostic::new(statement.span, "an instruction has two halves"));
        }
    }
    builder.finish(statement)?;
    targets.apply(&mut builder.common, &mut builder.alu)?;
    for half in halves {
        if let Some(span) = half.saturate
            && (half.omod.is_some_and(|omod| omod.node == Omod::Disabled)
                || half.op.node.eq_ignore_ascii_case("movx"))
        {
            return Err(Diagnostic::new(span, "an exact result cannot be clamped")
                .help("leave out .sat, or .exact (the x of movx)"));
        }
    }
    let instruction = Instruction { common: builder.common, body: Body::Alu(builder.alu) };
    let mut lowered = Lowered::new(instruction, statement.span);
    for flag in &statement.flags {
        if matches!(flag.name.node.to_ascii_lowercase().as_str(), "src" | "srcp") {
            continue;
        }
        set_flag(flag, &mut lowered)?;
    }
    Ok(lowered)
}

/// The instruction under construction. Its inputs wait for their source numbers.
struct Builder {
    common: Common,
    alu: Alu,
    inputs: Vec<Input>,
    slots: Slots,
}

/// `@src(rgb0=r1 a2=0.5)` and `@srcp(rgb=SUB)`.
fn slot_flags<'s>(
    context: &Context<'_, 's>,
    statement: &Statement<'s>,
    builder: &mut Builder,
) -> Result<(), Diagnostic> {
    for flag in &statement.flags {
        let presub = match flag.name.node.to_ascii_lowercase().as_str() {
            "src" => false,
            "srcp" => true,
            _ => continue,
        };
        for argument in &flag.arguments {
            let key = argument.key.node.to_ascii_lowercase();
            let Some(value) = argument.value else {
                return Err(Diagnostic::new(argument.key.span, "expected slot=value"));
            };
            if presub {
                let name = match value.node {
                    SlotValue::Register(RegisterRef::Name(name)) => row(PRESUBS, name),
                    _ => None,
                };
                let Some(code) = name else {
                    let names: Vec<&str> = PRESUBS.iter().map(|code| code.name).collect();
                    return Err(Diagnostic::new(value.span, "unknown presubtract operation")
                        .help(format!("the operations are {}", names.join(", "))));
                };
                let op = Presub::from_code(code.code as u32);
                let Some(unit) = unit(&key) else {
                    return Err(
                        Diagnostic::new(argument.key.span, "unknown unit").help("write rgb or a")
                    );
                };
                builder.alu.units[unit].presub = op;
                continue;
            }
            let source = match value.node {
                SlotValue::Number(number) => inputs::inline(number).ok_or_else(|| {
                    Diagnostic::new(value.span, format!("{number} is not an inline constant"))
                })?,
                SlotValue::Register(register) => {
                    let found = context.names.resolve(register, value.span)?;
                    inputs::source(found).ok_or_else(|| {
                        Diagnostic::new(
                            value.span,
                            format!("{} cannot be a source", found.describe()),
                        )
                    })?
                }
            };
            let (file, n) = key.split_at(key.len().saturating_sub(1));
            let (Some(unit), "0" | "1" | "2") = (unit(file), n) else {
                return Err(Diagnostic::new(argument.key.span, format!("unknown source `{key}`"))
                    .help("the sources are rgb0, rgb1, rgb2, a0, a1, a2"));
            };
            builder.slots.0[unit][(n.as_bytes()[0] - b'0') as usize] = Some(source);
        }
    }
    Ok(())
}

/// The unit with this name in `@src` and `@srcp`.
fn unit(name: &str) -> Option<usize> {
    ["rgb", "a"].iter().position(|unit| *unit == name)
}

/// The operands of a half in the order A, B, C, including those that a pseudo-operation adds.
fn operands<'s>(half: &Half<'s>, operation: &Operation) -> Result<Vec<Operand<'s>>, Diagnostic> {
    let given = half.operands.len();
    let name = half.op.node.to_ascii_lowercase();
    let most = if operation.pseudo.is_some() { operation.required } else { 3 };
    if given < operation.required || given > most {
        let plural = if operation.required == 1 { "" } else { "s" };
        return Err(Diagnostic::new(
            half.span,
            format!("{name} takes {} operand{plural}, not {given}", operation.required),
        ));
    }
    let constant = |value| Operand {
        span: half.span,
        modifier: Modifier::Nop,
        value: Value::Number(value),
        swizzle: None,
    };
    let mut list = half.operands.clone();
    match name.as_str() {
        "mov" | "movx" => list.push(list[0].clone()),
        "add" | "sub" => list.insert(1, constant(1.0)),
        "mul" => list.push(constant(0.0)),
        _ => {}
    }
    if name == "sub" {
        let modifier = &mut list[2].modifier;
        *modifier = match *modifier {
            Modifier::Nop => Modifier::Neg,
            Modifier::Neg => Modifier::Nop,
            Modifier::Abs => Modifier::Nab,
            Modifier::Nab => Modifier::Abs,
        };
    }
    Ok(list)
}

/// An operation on the channels of its destinations, in either unit or both.
fn whole<'s>(
    context: &mut Context<'_, 's>,
    builder: &mut Builder,
    half: &Half<'s>,
    operation: Operation,
    scope: destinations::Scope,
) -> Result<(), Diagnostic> {
    let operands = operands(half, &operation)?;
    let [rgb, alpha] = operation.units;
    let dot = rgb.is_some_and(AluOp::is_dot);
    let ops = match (rgb, alpha) {
        (Some(rgb), Some(alpha)) => [rgb, alpha],
        // The alpha unit copies a dot product of the RGB unit; the RGB unit copies a
        // transcendental.
        (Some(rgb), None) if rgb.is_dot() => [rgb, AluOp::Dp],
        (None, Some(alpha)) if alpha.is_transcendental() => [AluOp::Sop, alpha],
        _ => {
            let name = half.op.node.to_ascii_lowercase();
            let example = if rgb.is_some() {
                "sop r0.rgb | rcp r0.a, r1.r"
            } else {
                "dp3 r0.rgb, r1, r2 | dp r0.a"
            };
            return Err(Diagnostic::new(
                half.op.span,
                format!("{name} copies the other unit's result, which this line does not compute"),
            )
            .help(format!("write both halves, for example `{example}`")));
        }
    };
    // A transcendental's operand feeds only the alpha unit. A dot product's operands feed the RGB
    // unit (DP4's feed both). All others feed the units that have a destination.
    let transcendental = rgb.is_none();
    let four = rgb == Some(AluOp::Dp4);
    let lanes = Lanes {
        rgb: !transcendental && (scope.rgb || dot),
        alpha: transcendental || four || (scope.alpha && !dot),
        mask: if dot || transcendental { None } else { Some(scope.mask) },
        name_needed: transcendental && scope.rgb,
    };
    for (index, operand) in operands.iter().enumerate() {
        let built = inputs::build(context, operand, &lanes, index)?;
        builder.inputs.extend(built);
    }
    if operation.pseudo.is_some_and(|pseudo| pseudo.name == "dp2") {
        for input in &mut builder.inputs {
            input.lanes[2] = Swizzle::Zero;
        }
    }
    // A unit without a destination computes what the other one copies.
    let units = [(scope.rgb, dot), (scope.alpha, transcendental || four)];
    for (n, (written, needed)) in units.into_iter().enumerate() {
        if written {
            builder.operation(n, ops[n], half);
        } else if needed {
            builder.alu.units[n].op = ops[n];
        }
    }
    neighbours(builder);
    Ok(())
}

/// One half of a pair.
fn one_unit<'s>(
    context: &mut Context<'_, 's>,
    builder: &mut Builder,
    half: &Half<'s>,
    place: Place,
) -> Result<(), Diagnostic> {
    let mut operation = Operation::of(half.op.node);
    let name = half.op.node.to_ascii_lowercase();
    let is_rgb = place == Place::Rgb;
    let unit = if is_rgb { RGB } else { ALPHA };
    let Some(op) = operation.units[unit].filter(|_| is_rgb || name != "dp2") else {
        let (unit, other) = if is_rgb { ("RGB", "sop") } else { ("alpha", "dp") };
        return Err(Diagnostic::new(
            half.op.span,
            format!("the {unit} unit has no operation {name}"),
        )
        .help(format!("`{other}` copies the other unit's result")));
    };
    if operation.pseudo.is_none() {
        operation.required = required(op);
    }
    let operands = operands(half, &operation)?;
    let dot = is_rgb && op.is_dot();
    let lanes = Lanes {
        rgb: is_rgb,
        alpha: !is_rgb,
        mask: if dot || !is_rgb { None } else { Some(destinations::mask_of(context, half)?) },
        name_needed: false,
    };
    let first = builder.inputs.len();
    for (index, operand) in operands.iter().enumerate() {
        let built = inputs::build(context, operand, &lanes, index)?;
        builder.inputs.extend(built);
    }
    if name == "dp2" {
        for input in &mut builder.inputs[first..] {
            input.lanes[2] = Swizzle::Zero;
        }
    }
    builder.operation(unit, op, half);
    neighbours(builder);
    Ok(())
}

/// MDH and MDV take A and C from address 0, whatever their selects are, so operand A must be there.
fn neighbours(builder: &mut Builder) {
    for input in &mut builder.inputs {
        let neighbour = builder.alu.units[input.unit].op.is_neighbour();
        // An operand that names a slot keeps it, whether it has an effect or not.
        if neighbour && input.index != 1 && input.fixed.is_none() && !input.srcp {
            input.fixed = Some(0);
        }
    }
}

impl Builder {
    /// Sets the operation of a unit, with the modifiers of a half.
    fn operation(&mut self, unit: usize, op: AluOp, half: &Half<'_>) {
        let omod = half.omod.map_or(Omod::X1, |omod| omod.node);
        let exact = half.op.node.eq_ignore_ascii_case("movx");
        self.alu.units[unit].op = op;
        self.alu.units[unit].omod = if exact { Omod::Disabled } else { omod };
        self.common.clamp[unit] = half.saturate.is_some();
    }

    /// Assigns the sources and fills in the units.
    fn finish(&mut self, statement: &Statement<'_>) -> Result<(), Diagnostic> {
        presubtracts(&self.inputs, &mut self.slots, &mut self.alu)?;
        for input in &self.inputs {
            if let (Some(slot), Some(way)) = (input.fixed, input.ways.first())
                && !self.slots.put(way, slot)
            {
                return Err(Diagnostic::new(
                    input.span,
                    format!("this operand must be source {slot}, which holds another register"),
                ));
            }
        }
        let mut free: Vec<usize> = (0..self.inputs.len())
            .filter(|&n| self.inputs[n].fixed.is_none() && !self.inputs[n].ways.is_empty())
            .collect();
        // Inputs that read only the other unit's addresses come last, as in Mesa's compiler.
        free.sort_by_key(|&n| !self.inputs[n].reads_side(self.inputs[n].unit));
        let ways: Vec<Vec<Way>> = free.iter().map(|&n| self.inputs[n].ways.clone()).collect();
        let Some(choices) = slots::solve(&mut self.slots, &ways) else {
            return Err(Diagnostic::new(statement.span, "this instruction reads too many registers")
                .label("three sources for r, g, b and three for a, of the same numbers where an operand mixes both")
                .help("move one operand to a temporary that holds another one already, or split the instruction"));
        };
        for (&n, choice) in free.iter().zip(&choices) {
            let input = &mut self.inputs[n];
            input.slot = Some(choice.slot);
            if choice.way > 0
                && let Some(lane) = input.alternative
            {
                input.lanes = [lane; 3];
            }
        }
        for input in &self.inputs {
            let slot = input.fixed.or(input.slot).unwrap_or(0);
            let sel = if input.srcp { Sel::Srcp } else { Sel::from_code(slot as u32) };
            self.alu.units[input.unit].inputs[input.index] =
                isa::Input { sel, swizzle: input.lanes, modifier: input.modifier };
        }
        for (unit, slots) in self.alu.units.iter_mut().zip(self.slots.0) {
            unit.sources = slots.map(|slot| slot.unwrap_or(Source::UNUSED));
        }
        Ok(())
    }
}

/// Places the sources of presubtracts, which are always sources 0 and 1.
fn presubtracts(inputs: &[Input], slots: &mut Slots, alu: &mut Alu) -> Result<(), Diagnostic> {
    let mut units: [Option<Presub>; 2] = [None; 2];
    for input in inputs {
        let Some(presub) = &input.presub else {
            continue;
        };
        for (side, op) in units.iter_mut().enumerate() {
            if !input.reads_side(side) {
                continue;
            }
            let conflict = |what: &str| {
                Err(Diagnostic::new(
                    input.span,
                    format!("a second, different sum in the {what} unit"),
                )
                .help("each unit forms one sum an instruction, from its sources 0 and 1"))
            };
            let unit = if side == 0 { "RGB" } else { "alpha" };
            if op.is_some_and(|op| op != presub.op) {
                return conflict(unit);
            }
            *op = Some(presub.op);
            for (slot, source) in presub.sources.iter().enumerate() {
                let mut way = Way([None; 2]);
                way.0[side] = *source;
                if !slots.put(&way, slot) {
                    return conflict(unit);
                }
            }
        }
    }
    for (unit, op) in alu.units.iter_mut().zip(units) {
        unit.presub = op.unwrap_or(unit.presub);
    }
    Ok(())
}
