//! Flow control: instructions with an arrow; structured statements, which expand to the Guide's rows
//! \[G 36-40\]; the connection of calls with returns.

use super::draft::{Address, Context, Draft};
use super::flags;
use super::names::{Names, Register, predicate};
use super::syntax::*;
use ctm_base::text::{At, BlockKind, Blocks, Diagnostic, Parsed, Span};
use ctm_isa::isa::table::cmn_inst;
use ctm_isa::isa::{
    AddressOp, BranchOp, Fc, FcOp, Instruction, MAX_INSTRUCTIONS, PredSel, RGB, Type,
};
use std::collections::{HashMap, HashSet};

/// Maximum of a branch counter's change: B_POP_CNT has five bits.
const MAX_POP: usize = 31;

/// The truth tables "every point votes to jump" and "no point does".
const ALWAYS: u8 = 0xff;
const NEVER: u8 = 0;

/// An open block: slots of its instructions.
#[derive(Default)]
struct Opened {
    at: usize,
    /// The instruction that jumps past an ENDIF: IF or ELSE.
    last: usize,
    /// The integer constant of a loop.
    int: u8,
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

/// A call or a return, kept until all of them are known.
struct Call<'s> {
    at: usize,
    label: At<&'s str>,
    conditional: bool,
}

struct Return {
    at: usize,
    span: Span,
    conditional: bool,
}

/// The state of the expansion for one source.
#[derive(Default)]
pub(super) struct Expansion<'s> {
    blocks: Blocks<Opened>,
    calls: Vec<Call<'s>>,
    returns: Vec<Return>,
    /// The slot of `end`, if there is one.
    pub end: Option<usize>,
}

/// The error for a predicate before flow control.
pub(super) fn gated(gate: &Gate) -> Diagnostic {
    gate.span
        .error("flow control is not gated by predicates")
        .help("write the predicate as a condition: `break if p.r`")
}

/// A flow-control instruction whose fields the source gives.
pub(super) fn encode<'s>(
    context: &Context<'_, 's>,
    arrow: &Arrow<'s>,
    span: Span,
) -> Parsed<Draft<'s>> {
    let mut draft = Draft::new(Instruction::blank(Type::Fc), span);
    let int = arrow.int.map_or(Ok(0), |name| int_constant(context.names, name))?;
    draft.change_fc(|fc| (fc.op, fc.jump_func, fc.int_addr) = (arrow.op, ALWAYS, int));
    match arrow.target {
        Target::Label(label) => draft.target = Some(Address::Label(label)),
        Target::Number(At { node, .. }) if (node as usize) < MAX_INSTRUCTIONS => {
            draft.change_fc(|fc| fc.jump_addr = node as u16);
        }
        Target::Number(At { node, span }) => {
            return Err(span.error(format!("the address {node} is not below {MAX_INSTRUCTIONS}")));
        }
    }
    set_condition(context.names, arrow.condition.as_ref(), &mut draft)?;
    Ok(draft)
}

/// Fills the condition of a jump.
fn set_condition(
    names: &Names<'_>,
    condition: Option<&Condition<'_>>,
    draft: &mut Draft<'_>,
) -> Parsed<()> {
    let Some(condition) = condition else { return Ok(()) };
    draft.change_fc(|fc| fc.jump_func = condition.table);
    if let Some(At { node, span }) = condition.predicate {
        let sel = predicate(Some(node), span)?;
        if sel == PredSel::Rgba {
            return Err(span
                .error("a condition needs one predicate bit")
                .help("write p.r, p.g, p.b or p.a"));
        }
        let common = &mut draft.instruction.common;
        (common.pred_sel[RGB], common.pred_inv[RGB]) = (sel, condition.inverted.unwrap_or(false));
    }
    if let Some(At { node, span }) = condition.boolean {
        match names.find(node, span)? {
            Register::Bool(n) => draft.change_fc(|fc| fc.bool_addr = n),
            other => {
                const HELP: &str =
                    "a condition has alu_result, p.r (or g, b, a), a boolean constant such as b0";
                let what = other.describe();
                return Err(span.error(format!("{what} cannot be a condition")).help(HELP));
            }
        }
    }
    Ok(())
}

/// The integer constant with this name.
fn int_constant(names: &Names<'_>, At { node, span }: At<&str>) -> Parsed<u8> {
    match names.find(node, span)? {
        Register::Int(n) => Ok(n),
        other => Err(span
            .error(format!("{} cannot count a loop", other.describe()))
            .help("a loop counts with an integer constant such as n0, or a number")),
    }
}

/// The integer constant of a loop. A literal count is allocated one.
fn loop_constant<'s>(context: &mut Context<'_, 's>, operand: &IntOperand<'s>) -> Parsed<u8> {
    let At { node: [count, start, step], span } = match *operand {
        IntOperand::Register(name) => return int_constant(context.names, name),
        IntOperand::Literal(values) => values,
    };
    let counts = 0..=255;
    if !counts.contains(&count) || !counts.contains(&start) || !(-128..128).contains(&step) {
        return Err(span
            .error(format!("({count}, {start}, {step}) is out of range"))
            .label("count and aL start are 0 to 255, aL step -128 to 127"));
    }
    let value = [count as u32, start as u32, step as u32, 0];
    context.pool.int(value).ok_or_else(|| {
        span.error("all 32 integer constants are taken; there is none for this count")
    })
}

impl<'s> Expansion<'s> {
    /// Expands a structured statement and appends its instruction. It does so even after an error,
    /// so that open blocks always have an instruction.
    pub fn statement(
        &mut self,
        context: &mut Context<'_, 's>,
        statement: &Statement<'s>,
        code: &mut Vec<Draft<'s>>,
    ) -> Parsed<()> {
        let mut draft = Draft::new(Instruction::blank(Type::Fc), statement.span);
        let result = self.expand(context, statement, code, &mut draft);
        code.push(draft);
        result?;
        statement.gate.as_ref().map_or(Ok(()), |gate| Err(gated(gate)))
    }

    fn expand(
        &mut self,
        context: &mut Context<'_, 's>,
        statement: &Statement<'s>,
        code: &mut [Draft<'s>],
        draft: &mut Draft<'s>,
    ) -> Parsed<()> {
        let span = statement.span;
        let at = code.len();
        let mut jump = |table: u8, change: &dyn Fn(&mut Fc)| {
            draft.change_fc(|fc| {
                (fc.op, fc.jump_func) = (FcOp::Jump, table);
                change(fc);
            });
        };
        let condition = match &statement.kind {
            StatementKind::If(condition) => {
                jump(NEVER, &|fc| fc.b_op0 = BranchOp::Incr);
                let opened = Opened { at, last: at, ..Opened::default() };
                self.blocks.open(span, BlockKind::If, opened)?;
                // The points for which the condition fails jump.
                Some(Condition { table: !condition.table, ..*condition })
            }
            StatementKind::Else => {
                let opened = self.blocks.otherwise(span)?;
                opened.last = at;
                jump(NEVER, &|fc| {
                    (fc.b_else, fc.b_op1, fc.b_pop_cnt) = (true, BranchOp::Decr, 1);
                });
                let opening = &mut code[opened.at];
                opening.target = Some(Address::Slot(at + 1));
                opening.change_fc(|fc| fc.b_op1 = BranchOp::Incr);
                None
            }
            StatementKind::EndIf(count) => {
                let count = count.map_or(1, |count| count.node as usize);
                self.end_if(span, count, at, code)?;
                jump(NEVER, &|fc| {
                    (fc.jump_any, fc.b_op0, fc.b_pop_cnt) = (true, BranchOp::Decr, count as u8);
                });
                None
            }
            StatementKind::Loop(kind, int) => {
                let constant = loop_constant(context, int);
                let int = constant.as_ref().map_or(0, |int| *int);
                let op = if *kind == BlockKind::Rep { FcOp::Rep } else { FcOp::Loop };
                jump(NEVER, &|fc| (fc.op, fc.int_addr) = (op, int));
                self.blocks.open(span, *kind, Opened { at, int, ..Opened::default() })?;
                constant?;
                None
            }
            StatementKind::EndLoop(kind) => {
                let opened = self.blocks.close(span, *kind)?;
                code[opened.at].target = Some(Address::Slot(at + 1));
                for slot in opened.breaks {
                    code[slot].target = Some(Address::Slot(at + 1));
                }
                for slot in opened.continues {
                    code[slot].target = Some(Address::Slot(at));
                }
                let op = if *kind == BlockKind::Rep { FcOp::EndRep } else { FcOp::EndLoop };
                jump(ALWAYS, &|fc| (fc.op, fc.jump_any, fc.int_addr) = (op, true, opened.int));
                draft.target = Some(Address::Slot(opened.at + 1));
                None
            }
            StatementKind::Leave(word, condition) => {
                // From inside any number of IFs.
                let (depth, block) = self.blocks.innermost_loop(word, span)?;
                let op = match (*word, block.kind) {
                    ("break", BlockKind::Rep) => FcOp::BreakRep,
                    ("break", _) => FcOp::BreakLoop,
                    _ => FcOp::Continue,
                };
                match *word {
                    "break" => block.data.breaks.push(at),
                    _ => block.data.continues.push(at),
                }
                jump(ALWAYS, &|fc| {
                    (fc.op, fc.b_op1, fc.b_pop_cnt) = (op, BranchOp::Decr, depth as u8);
                });
                *condition
            }
            StatementKind::Call(label, condition) => {
                jump(ALWAYS, &|fc| (fc.jump_any, fc.a_op) = (true, AddressOp::Push));
                draft.target = Some(Address::Label(*label));
                self.calls.push(Call { at, label: *label, conditional: condition.is_some() });
                *condition
            }
            StatementKind::Ret(condition) => {
                if let Some((error, _)) = self.blocks.inside("ret", span) {
                    return Err(error.help(
                        "the hardware cannot return from inside a branch or a loop; end it first",
                    ));
                }
                let conditional = condition.is_some();
                let stay = if conditional { BranchOp::Incr } else { BranchOp::None };
                jump(ALWAYS, &|fc| {
                    (fc.a_op, fc.b_op0, fc.b_op1) = (AddressOp::Pop, stay, BranchOp::Decr);
                });
                self.returns.push(Return { at, span, conditional });
                *condition
            }
            StatementKind::End => {
                if let Some((error, kind)) = self.blocks.inside("end", span) {
                    let close = kind.words().1;
                    return Err(
                        error.help(format!("`end` ends the program; `{close}` ends this block"))
                    );
                }
                if self.end.replace(at).is_some() {
                    return Err(span
                        .error("a second `end`")
                        .help("a program ends at one place; jump there"));
                }
                draft.instruction = Instruction::blank(Type::Out);
                draft.give(&cmn_inst::TEX_SEM_WAIT, 1);
                None
            }
            _ => return Err(span.error("not a structured statement")),
        };
        set_condition(context.names, condition.as_ref(), draft)?;
        statement.flags.iter().try_for_each(|flag| flags::set(flag, draft))
    }

    /// Closes `count` IFs together. They jump to the slot after the ENDIF at slot `at`.
    fn end_if(
        &mut self,
        span: Span,
        count: usize,
        at: usize,
        code: &mut [Draft<'s>],
    ) -> Parsed<()> {
        if count == 0 {
            return Err(span.error("`endif 0` ends nothing"));
        }
        if count == 1 {
            let opened = self.blocks.close(span, BlockKind::If)?;
            code[opened.last].target = Some(Address::Slot(at + 1));
            return Ok(());
        }
        let depth = self.blocks.depth();
        let blocks = self.blocks.close_last(count).ok_or_else(|| {
            span.error(format!("`endif {count}`, but only {depth} blocks are open"))
        })?;
        for (k, block) in blocks.iter().enumerate() {
            if block.kind != BlockKind::If {
                let open = block.kind.words().0;
                return Err(span
                    .error(format!("`endif {count}` would end the `{open}` block"))
                    .help("only `if` blocks without `else` can share an endif"));
            }
            let opening = &mut code[block.data.at];
            opening.target = Some(Address::Slot(at + 1));
            // An inner IF jumps past the shared ENDIF, so it also undoes the levels of the outer
            // IFs.
            if k > 0 {
                opening.change_fc(|fc| (fc.b_op1, fc.b_pop_cnt) = (BranchOp::Decr, k as u8));
            }
        }
        Ok(())
    }

    /// Sets the fields that depend on the whole source: branch counters of calls and returns.
    pub fn finish(
        &self,
        labels: &HashMap<&'s str, usize>,
        code: &mut [Draft<'s>],
    ) -> Result<(), Vec<Diagnostic>> {
        let mut errors = self.blocks.unended();
        // A subroutine ends with its unconditional return. It begins at the first called label
        // after the end of the previous one.
        let mut begin = 0;
        let mut early: Vec<&Return> = Vec::new();
        let mut answered = HashSet::new();
        for ret in &self.returns {
            if let Some(end) = self.end.filter(|end| (begin..ret.at).contains(end)) {
                begin = end + 1;
            }
            if ret.conditional {
                early.push(ret);
                continue;
            }
            let called = |call: &&Call| {
                let slot = labels.get(call.label.node);
                slot.is_some_and(|slot| (begin..=ret.at).contains(slot))
            };
            let calls: Vec<&Call> = self.calls.iter().filter(called).collect();
            let saved = calls.iter().any(|call| call.conditional);
            for call in calls {
                answered.insert(call.at);
                if saved {
                    code[call.at].change_fc(|fc| fc.b_op1 = BranchOp::Incr);
                }
            }
            for (k, early) in early.iter().enumerate() {
                let count = k + usize::from(saved);
                code[early.at].change_fc(|fc| fc.b_pop_cnt = count as u8);
            }
            let count = early.len() + usize::from(saved);
            if count > MAX_POP {
                let message = format!("a subroutine has at most {MAX_POP} conditional returns");
                errors.push(ret.span.error(message));
            }
            let op = if count == 0 { BranchOp::None } else { BranchOp::Decr };
            code[ret.at].change_fc(|fc| (fc.b_pop_cnt, fc.b_op1) = (count as u8, op));
            early.clear();
            begin = ret.at + 1;
        }
        if let Some(ret) = early.last() {
            errors.push(ret.span.error("this subroutine has no last, unconditional `ret`"));
        }
        for Call { at, label: At { node, span }, .. } in &self.calls {
            if !answered.contains(at) && labels.contains_key(node) {
                let error = span.error(format!("no `ret` follows the label `{node}`"));
                errors.push(error.help("a subroutine ends with `ret`"));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
