//! Lowers one statement to one instruction, with flags and gates. Jump targets remain symbolic.

use super::diagnostics::{Diagnostic, Span};
use super::names::{Names, Register};
use super::numbers::Pool;
use super::parser::{parse_u32, row};
use super::syntax::*;
use super::{alu, destinations, explicit, fetches};
use crate::isa::{
    ADDRESS_OPS, AddressOp, BRANCH_OPS, Body, BranchOp, FC_OPS, FcOp, FieldValue, Instruction,
    PRED_SELS, PredSel, RGB, Type,
};

/// The parts of the rest of the source that lowering needs.
pub(super) struct Context<'a, 's> {
    pub names: &'a Names<'s>,
    pub pool: &'a mut Pool,
}

/// An instruction whose target and synchronisation bits may still be open.
#[derive(Clone, Debug)]
pub(super) struct Lowered<'s> {
    pub instruction: Instruction,
    pub span: Span,
    /// The target of a jump.
    pub target: Option<Jump<'s>>,
    /// Synchronisation bits that the source sets or clears; `None`: automatic.
    pub wait: Option<bool>,
    pub acquire: Option<bool>,
    pub alu_wait: Option<bool>,
    pub nop: Option<bool>,
    /// The source gives every bit.
    pub explicit: bool,
}

/// A jump's target before addresses are known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Jump<'s> {
    Label(Word<'s>),
    /// A slot of the program.
    Slot(usize),
}

impl<'s> Lowered<'s> {
    pub fn new(instruction: Instruction, span: Span) -> Lowered<'s> {
        Lowered {
            instruction,
            span,
            target: None,
            wait: None,
            acquire: None,
            alu_wait: None,
            nop: None,
            explicit: false,
        }
    }
}

/// Lowers a statement that is not structured flow control.
pub(super) fn lower<'s>(
    context: &mut Context<'_, 's>,
    statement: &Statement<'s>,
) -> Result<Lowered<'s>, Diagnostic> {
    let mut lowered = match &statement.kind {
        StatementKind::Explicit(explicit) => {
            let words = explicit::assemble(explicit)?;
            let mut lowered = Lowered::new(Instruction::decode(&words), statement.span);
            lowered.explicit = true;
            if let Some(flag) = statement.flags.first() {
                return Err(Diagnostic::new(
                    flag.name.span,
                    "an explicit instruction has no flags",
                )
                .help("set the field instead"));
            }
            lowered
        }
        StatementKind::Alu(halves) => alu::lower(context, statement, halves)?,
        StatementKind::Tex(fetch) => {
            let mut lowered = Lowered::new(fetches::lower(context, fetch)?, statement.span);
            for flag in &statement.flags {
                set_flag(flag, &mut lowered)?;
            }
            lowered
        }
        StatementKind::Flow(flow) => raw_flow(context, statement, flow)?,
        _ => {
            return Err(Diagnostic::new(statement.span, "structured statement out of place"));
        }
    };
    if let Some(gate) = &statement.gate {
        apply_gate(gate, &mut lowered)?;
    }
    Ok(lowered)
}

fn apply_gate(gate: &Gate<'_>, lowered: &mut Lowered<'_>) -> Result<(), Diagnostic> {
    let span = gate.rgb.span;
    if lowered.explicit {
        return Err(Diagnostic::new(span, "an explicit instruction has no gate")
            .help("set RGB_PRED_SEL and ALPHA_PRED_SEL"));
    }
    if lowered.instruction.common.class == Type::Fc {
        return Err(Diagnostic::new(span, "flow control is not gated by predicates")
            .help("write the predicate as a condition: `break if p.r`"));
    }
    let common = &mut lowered.instruction.common;
    let alpha = gate.alpha.as_ref().unwrap_or(&gate.rgb);
    for (unit, gate) in [&gate.rgb, alpha].into_iter().enumerate() {
        (common.pred_sel[unit], common.pred_inv[unit]) = predicate(gate)?;
    }
    Ok(())
}

/// The selector of a gate. One letter selects one bit; no letter (or rgba) selects each channel's
/// own.
fn predicate(predicate: &At<Predicate<'_>>) -> Result<(PredSel, bool), Diagnostic> {
    match predicate.node {
        Predicate::Always { inverted } => Ok((PredSel::None, inverted)),
        Predicate::Bits { inverted, swizzle } => Ok((pred_sel(swizzle, predicate.span)?, inverted)),
    }
}

fn pred_sel(swizzle: Option<&str>, span: Span) -> Result<PredSel, Diagnostic> {
    let text = match swizzle {
        None => "RGBA".to_string(),
        // One bit is replicated; its name in the table is the letter four times.
        Some(letter) if letter.len() == 1 => letter.repeat(4),
        Some(text) => text.to_string(),
    };
    match row(PRED_SELS, &text) {
        Some(code) if code.code != 0 => Ok(PredSel::from_code(code.code as u32)),
        _ => Err(Diagnostic::new(
            span,
            format!("there is no predicate `.{}`", swizzle.unwrap_or("")),
        )
        .help("write p (each channel by its own bit), p.r, p.g, p.b or p.a")),
    }
}

/// Applies a flag; flags about source slots are handled elsewhere.
pub(super) fn set_flag(flag: &Flag<'_>, lowered: &mut Lowered<'_>) -> Result<(), Diagnostic> {
    let name = flag.name.node.to_ascii_lowercase();
    let span = flag.name.span;
    let on = !flag.off;
    let common = &mut lowered.instruction.common;
    let arithmetic = matches!(common.class, Type::Alu | Type::Out);
    match (name.as_str(), &mut lowered.instruction.body) {
        ("wait", _) => lowered.wait = Some(on),
        ("alu_wait", _) => lowered.alu_wait = Some(on),
        ("nop", _) => lowered.nop = Some(on),
        ("last", _) => common.last = on,
        ("inactive", _) => common.write_inactive = on,
        ("out", _) if arithmetic => common.class = if on { Type::Out } else { Type::Alu },
        ("stat", _) => {
            common.stat_we = match flag.arguments.as_slice() {
                [] => 15,
                [argument] => destinations::mask(argument.key)?,
                _ => return Err(Diagnostic::new(span, "@stat takes one mask: @stat(rgba)")),
            };
            return Ok(());
        }
        ("acquire", Body::Tex(_)) => lowered.acquire = Some(on),
        ("ignore_uncovered", Body::Tex(tex)) => tex.ignore_uncovered = on,
        ("unscaled", Body::Tex(tex)) => tex.unscaled = on,
        ("ignore_uncovered", Body::Fc(fc)) => fc.ignore_uncovered = on,
        ("any", Body::Fc(fc)) => fc.jump_any = on,
        ("else", Body::Fc(fc)) => fc.b_else = on,
        ("global", Body::Fc(fc)) => fc.jump_global = on,
        ("address", Body::Fc(fc)) => {
            fc.a_op = AddressOp::from_code(argument_code(flag, ADDRESS_OPS)?);
            return Ok(());
        }
        ("stay", Body::Fc(fc)) => {
            fc.b_op0 = BranchOp::from_code(argument_code(flag, BRANCH_OPS)?);
            return Ok(());
        }
        ("jump", Body::Fc(fc)) => {
            fc.b_op1 = BranchOp::from_code(argument_code(flag, BRANCH_OPS)?);
            return Ok(());
        }
        ("count", Body::Fc(fc)) => {
            fc.b_pop_cnt = match flag.arguments.as_slice() {
                [argument] => parse_u32(argument.key.node)
                    .and_then(|count| u8::try_from(count).ok())
                    .filter(|count| *count < 32),
                _ => None,
            }
            .ok_or_else(|| Diagnostic::new(span, "@count takes one number from 0 to 31"))?;
            return Ok(());
        }
        _ => {
            return Err(Diagnostic::new(
                span,
                format!(
                    "{} instructions have no flag `@{name}`",
                    lowered.instruction.common.class.name()
                ),
            )
            .help(flags_of(lowered.instruction.common.class)));
        }
    }
    if let Some(argument) = flag.arguments.first() {
        return Err(Diagnostic::new(argument.key.span, format!("@{name} takes no arguments")));
    }
    Ok(())
}

/// The flags: syntax, the classes that have them, meaning. For messages and documentation.
pub(super) const FLAGS: &[(&str, &str, &str)] = &[
    ("wait", "all", "TEX_SEM_WAIT: wait for fetches under way"),
    ("alu_wait", "all", "ALU_WAIT: wait for arithmetic under way"),
    ("nop", "all", "NOP: an idle slot follows"),
    ("last", "all", "LAST: points are willing to end here"),
    ("inactive", "all", "WRITE_INACTIVE: results are written for inactive points too"),
    ("stat(rgba)", "all", "STAT_WE: channels that the statistics counter counts"),
    ("out", "ALU, OUT", "class OUT without any output written"),
    (
        "src(rgb0=r1 a2=0.5)",
        "ALU, OUT",
        "contents of source addresses, before operands are assigned",
    ),
    ("srcp(rgb=SUB a=INV)", "ALU, OUT", "presubtract of a unit, for operands that name srcp"),
    ("acquire", "TEX", "TEX_SEM_ACQUIRE: hold the semaphore until the result is there"),
    (
        "ignore_uncovered",
        "TEX, FC",
        "IGNORE_UNCOVERED: uncovered points do not fetch, or do not vote",
    ),
    ("unscaled", "TEX", "UNSCALED, as brackets say too"),
    ("any", "FC", "JUMP_ANY: jump if any point wants to"),
    ("else", "FC", "B_ELSE: swap active and inactive points first"),
    ("global", "FC", "JUMP_GLOBAL: the target is not relative to the code offset"),
    ("address(PUSH)", "FC", "A_OP: what the address stack does when the jump is taken"),
    ("stay(INCR)", "FC", "B_OP0: what the branch counters do when it is not taken"),
    ("jump(DECR)", "FC", "B_OP1: what they do when it is taken"),
    ("count(1)", "FC", "B_POP_CNT: what DECR subtracts"),
];

/// The flags of a class, as text for messages.
fn flags_of(class: Type) -> String {
    let has =
        |classes: &str| classes == "all" || classes.split(", ").any(|name| name == class.name());
    let names: Vec<String> = FLAGS
        .iter()
        .filter(|(_, classes, _)| has(classes))
        .map(|(flag, ..)| format!("@{}", flag.split('(').next().unwrap_or(flag)))
        .collect();
    format!("the flags are {}", names.join(" "))
}

fn argument_code(flag: &Flag<'_>, table: &'static [crate::isa::Code]) -> Result<u32, Diagnostic> {
    let code = match flag.arguments.as_slice() {
        [argument] => row(table, argument.key.node),
        _ => None,
    };
    code.map(|code| code.code as u32).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|code| code.name).collect();
        Diagnostic::new(
            flag.name.span,
            format!("@{} takes one of {}", flag.name.node.to_ascii_lowercase(), names.join(", ")),
        )
    })
}

/// Fills the condition of a jump.
pub(super) fn set_condition(
    names: &Names<'_>,
    condition: &Condition<'_>,
    instruction: &mut Instruction,
) -> Result<(), Diagnostic> {
    let Body::Fc(fc) = &mut instruction.body else {
        return Ok(());
    };
    fc.jump_func = condition.table;
    if let Some(letter) = condition.predicate {
        let sel = pred_sel(Some(letter.node), letter.span)?;
        if sel == PredSel::Rgba {
            return Err(Diagnostic::new(letter.span, "a condition needs one predicate bit")
                .help("write p.r, p.g, p.b or p.a"));
        }
        instruction.common.pred_sel[RGB] = sel;
        instruction.common.pred_inv[RGB] = condition.inverted.unwrap_or(false);
    }
    if let Some(name) = condition.boolean {
        match names.find(name.node, name.span)? {
            Register::Bool(n) => fc.bool_addr = n,
            other => {
                return Err(Diagnostic::new(
                    name.span,
                    format!("{} cannot be a condition", other.describe()),
                )
                .help(
                    "a condition has alu_result, p.r (or g, b, a), a boolean constant such as b0",
                ));
            }
        }
    }
    Ok(())
}

/// The integer constant with this name.
pub(super) fn int_constant(names: &Names<'_>, name: Word<'_>) -> Result<u8, Diagnostic> {
    match names.find(name.node, name.span)? {
        Register::Int(n) => Ok(n),
        other => {
            Err(Diagnostic::new(name.span, format!("{} cannot count a loop", other.describe()))
                .help("a loop counts with an integer constant such as n0, or a number"))
        }
    }
}

/// A flow-control instruction whose fields the source gives.
fn raw_flow<'s>(
    context: &Context<'_, 's>,
    statement: &Statement<'s>,
    flow: &Flow<'s>,
) -> Result<Lowered<'s>, Diagnostic> {
    let mut instruction = Instruction::blank(Type::Fc);
    if let Body::Fc(fc) = &mut instruction.body {
        fc.op = FcOp::from_code(row(FC_OPS, flow.op.node).map_or(0, |code| code.code as u32));
        fc.jump_func = 0xff;
        if let Some(name) = flow.int {
            fc.int_addr = int_constant(context.names, name)?;
        }
        if let Target::Number(address) = flow.target {
            fc.jump_addr = u16::try_from(address.node)
                .ok()
                .filter(|address| (*address as usize) < crate::isa::MAX_INSTRUCTIONS)
                .ok_or_else(|| {
                    Diagnostic::new(
                        address.span,
                        format!("the address {} is not below 512", address.node),
                    )
                })?;
        }
    }
    if let Some(condition) = &flow.condition {
        set_condition(context.names, condition, &mut instruction)?;
    }
    let mut lowered = Lowered::new(instruction, statement.span);
    if let Target::Label(label) = flow.target {
        lowered.target = Some(Jump::Label(label));
    }
    for flag in &statement.flags {
        set_flag(flag, &mut lowered)?;
    }
    Ok(lowered)
}
