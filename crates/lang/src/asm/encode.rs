//! Turns a statement that is not structured flow control into one instruction. Jump targets remain
//! symbolic.

use super::draft::{Context, Draft};
use super::syntax::{Gate, Statement, StatementKind};
use super::{alu, explicit, fetches, flags, flow};
use ctm_base::text::Parsed;
use ctm_isa::isa::{Instruction, Type};

/// The instruction of a statement; `None` if the statement is structured flow control.
pub(super) fn encode<'s>(
    context: &mut Context<'_, 's>,
    statement: &Statement<'s>,
) -> Parsed<Option<Draft<'s>>> {
    let span = statement.span;
    let sharing = context.names.sharing.is_some();
    let mut draft = match &statement.kind {
        StatementKind::Explicit(explicit) => {
            let words = explicit::assemble(explicit)?;
            if let Some(flag) = statement.flags.first() {
                return Err(flag
                    .name
                    .span
                    .error("an explicit instruction has no flags")
                    .help("set the field instead"));
            }
            let mut draft = Draft::new(Instruction::decode_as(&words, sharing), span);
            draft.explicit = true;
            draft
        }
        StatementKind::Alu(halves) => alu::encode(context, statement, halves)?,
        StatementKind::Tex(fetch) => Draft::new(fetches::encode(context, fetch)?, span),
        StatementKind::Arrow(arrow) => flow::encode(context, arrow, span)?,
        _ => return Ok(None),
    };
    let is_alu = matches!(statement.kind, StatementKind::Alu(_));
    for flag in statement.flags.iter().filter(|flag| !(is_alu && flags::is_of_sources(flag))) {
        flags::set(flag, &mut draft)?;
    }
    if let Some(gate) = &statement.gate {
        set_gate(gate, &mut draft)?;
    }
    Ok(Some(draft))
}

fn set_gate(gate: &Gate, draft: &mut Draft<'_>) -> Parsed<()> {
    if draft.explicit {
        return Err(gate
            .span
            .error("an explicit instruction has no gate")
            .help("set RGB_PRED_SEL and ALPHA_PRED_SEL"));
    }
    if draft.instruction.common.class == Type::Fc {
        return Err(flow::gated(gate));
    }
    let common = &mut draft.instruction.common;
    for (n, unit) in gate.units.into_iter().enumerate() {
        (common.pred_sel[n], common.pred_inv[n]) = unit;
    }
    Ok(())
}
