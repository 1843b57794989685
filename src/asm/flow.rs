//! Structured flow control: expands statements to the Guide's rows \[G 36-40\] and connects calls
//! with returns.

use super::diagnostics::{Diagnostic, Span};
use super::lower::{Context, Jump, Lowered, int_constant, set_condition, set_flag};
use super::syntax::*;
use crate::isa::{AddressOp, Body, BranchOp, Fc, FcOp, Instruction, Type};
use std::collections::HashMap;

/// Maximum number of open blocks: B_POP_CNT has five bits.
const MAX_DEPTH: usize = 31;

/// The truth tables "every point votes to jump" and "no point does".
const ALWAYS: u8 = 0xff;
const NEVER: u8 = 0;

/// An open block.
struct Block {
    span: Span,
    /// The slot of the instruction that opened it.
    at: usize,
    kind: BlockKind,
}

enum BlockKind {
    If { else_at: Option<usize> },
    Loop { rep: bool, int: u8, breaks: Vec<usize>, continues: Vec<usize> },
}

impl BlockKind {
    /// The words that open and close it.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            BlockKind::If { else_at: None } => ("if", "endif"),
            BlockKind::If { .. } => ("else", "endif"),
            BlockKind::Loop { rep: false, .. } => ("loop", "endloop"),
            BlockKind::Loop { rep: true, .. } => ("rep", "endrep"),
        }
    }
}

/// A call or a return, kept until all of them are known.
struct Call<'s> {
    at: usize,
    label: Word<'s>,
    conditional: bool,
}

struct Return {
    at: usize,
    span: Span,
    conditional: bool,
}

/// The state of the expansion for one source.
#[derive(Default)]
pub(super) struct Flow<'s> {
    blocks: Vec<Block>,
    calls: Vec<Call<'s>>,
    returns: Vec<Return>,
    /// The slot of `end`, if there is one.
    pub end: Option<usize>,
}

/// A flow-control instruction with this truth table.
fn instruction(op: FcOp, table: u8, change: impl FnOnce(&mut Fc)) -> Instruction {
    let mut instruction = Instruction::blank(Type::Fc);
    if let Body::Fc(fc) = &mut instruction.body {
        (fc.op, fc.jump_func) = (op, table);
        change(fc);
    }
    instruction
}

fn change(lowered: &mut Lowered<'_>, change: impl FnOnce(&mut Fc)) {
    if let Body::Fc(fc) = &mut lowered.instruction.body {
        change(fc);
    }
}

impl<'s> Flow<'s> {
    /// Expands a structured statement and appends its instruction. It does so even after an error,
    /// so that open blocks always have an instruction.
    pub fn statement(
        &mut self,
        context: &mut Context<'_, 's>,
        statement: &Statement<'s>,
        code: &mut Vec<Lowered<'s>>,
    ) -> Result<(), Diagnostic> {
        let mut lowered = Lowered::new(Instruction::blank(Type::Fc), statement.span);
        let result = self.expand(context, statement, code, &mut lowered);
        code.push(lowered);
        result?;
        match &statement.gate {
            None => Ok(()),
            Some(gate) => {
                Err(Diagnostic::new(gate.rgb.span, "flow control is not gated by predicates")
                    .help("write the predicate as a condition: `break if p.r`"))
            }
        }
    }

    fn expand(
        &mut self,
        context: &mut Context<'_, 's>,
        statement: &Statement<'s>,
        code: &mut [Lowered<'s>],
        lowered: &mut Lowered<'s>,
    ) -> Result<(), Diagnostic> {
        let span = statement.span;
        let at = code.len();
        match &statement.kind {
            StatementKind::If(condition) => {
                // The points for which the condition fails jump.
                let failing = Condition { table: !condition.table, ..*condition };
                lowered.instruction =
                    instruction(FcOp::Jump, NEVER, |fc| fc.b_op0 = BranchOp::Incr);
                self.open(span, at, BlockKind::If { else_at: None })?;
                set_condition(context.names, &failing, &mut lowered.instruction)?;
            }
            StatementKind::Else => {
                let Some(Block { at: if_at, kind: BlockKind::If { else_at }, .. }) =
                    self.blocks.last_mut()
                else {
                    return Err(self.unmatched("else", span, "if"));
                };
                if else_at.is_some() {
                    return Err(Diagnostic::new(span, "a second `else` of the same `if`"));
                }
                *else_at = Some(at);
                lowered.instruction = instruction(FcOp::Jump, NEVER, |fc| {
                    (fc.b_else, fc.b_op1, fc.b_pop_cnt) = (true, BranchOp::Decr, 1);
                });
                let opening = &mut code[*if_at];
                opening.target = Some(Jump::Slot(at + 1));
                change(opening, |fc| fc.b_op1 = BranchOp::Incr);
            }
            StatementKind::EndIf(count) => {
                let count = count.map_or(1, |count| count.node as usize);
                self.end_if(span, count, at, code)?;
                lowered.instruction = instruction(FcOp::Jump, NEVER, |fc| {
                    (fc.jump_any, fc.b_op0, fc.b_pop_cnt) = (true, BranchOp::Decr, count as u8);
                });
            }
            StatementKind::Loop(int) | StatementKind::Rep(int) => {
                let rep = matches!(statement.kind, StatementKind::Rep(_));
                let constant = loop_constant(context, int);
                let int = constant.as_ref().map_or(0, |int| *int);
                let op = if rep { FcOp::Rep } else { FcOp::Loop };
                lowered.instruction = instruction(op, NEVER, |fc| fc.int_addr = int);
                let (breaks, continues) = (Vec::new(), Vec::new());
                let kind = BlockKind::Loop { rep, int, breaks, continues };
                self.open(span, at, kind)?;
                constant?;
            }
            StatementKind::EndLoop | StatementKind::EndRep => {
                let rep = matches!(statement.kind, StatementKind::EndRep);
                let opened;
                (lowered.instruction, opened) = self.end_loop(span, rep, at, code)?;
                lowered.target = Some(Jump::Slot(opened + 1));
            }
            StatementKind::Break(condition) | StatementKind::Continue(condition) => {
                let leave = matches!(statement.kind, StatementKind::Break(_));
                lowered.instruction = self.leave(span, leave, at)?;
                if let Some(condition) = condition {
                    set_condition(context.names, condition, &mut lowered.instruction)?;
                }
            }
            StatementKind::Call(label, condition) => {
                lowered.instruction = instruction(FcOp::Jump, ALWAYS, |fc| {
                    (fc.jump_any, fc.a_op) = (true, AddressOp::Push);
                });
                if let Some(condition) = condition {
                    set_condition(context.names, condition, &mut lowered.instruction)?;
                }
                lowered.target = Some(Jump::Label(*label));
                self.calls.push(Call { at, label: *label, conditional: condition.is_some() });
            }
            StatementKind::Ret(condition) => {
                if let Some(block) = self.blocks.last() {
                    let (open, _) = block.kind.words();
                    return Err(Diagnostic::new(span, format!("`ret` inside `{open}`")).help(
                        "the hardware cannot return from inside a branch or a loop; end it first",
                    ));
                }
                lowered.instruction = instruction(FcOp::Jump, ALWAYS, |fc| {
                    (fc.a_op, fc.b_op1) = (AddressOp::Pop, BranchOp::Decr);
                    if condition.is_some() {
                        fc.b_op0 = BranchOp::Incr;
                    }
                });
                if let Some(condition) = condition {
                    set_condition(context.names, condition, &mut lowered.instruction)?;
                }
                self.returns.push(Return { at, span, conditional: condition.is_some() });
            }
            StatementKind::End => {
                if let Some(block) = self.blocks.last() {
                    let (open, close) = block.kind.words();
                    return Err(Diagnostic::new(span, format!("`end` inside `{open}`"))
                        .help(format!("`end` ends the program; `{close}` ends this block")));
                }
                if self.end.is_some() {
                    return Err(Diagnostic::new(span, "a second `end`")
                        .help("a program ends at one place; jump there"));
                }
                self.end = Some(at);
                lowered.instruction = Instruction::blank(Type::Out);
                lowered.wait = Some(true);
            }
            _ => return Err(Diagnostic::new(span, "not a structured statement")),
        }
        for flag in &statement.flags {
            set_flag(flag, lowered)?;
        }
        Ok(())
    }

    fn open(&mut self, span: Span, at: usize, kind: BlockKind) -> Result<(), Diagnostic> {
        // Open the block even after an error, so that its end is not an error too.
        self.blocks.push(Block { span, at, kind });
        if self.blocks.len() > MAX_DEPTH {
            return Err(Diagnostic::new(span, format!("blocks nest deeper than {MAX_DEPTH}")));
        }
        Ok(())
    }

    /// The error for a closing word that does not match the open block.
    fn unmatched(&self, word: &str, span: Span, wanted: &str) -> Diagnostic {
        match self.blocks.last() {
            None => Diagnostic::new(span, format!("`{word}` without `{wanted}`")),
            Some(block) => {
                let (open, close) = block.kind.words();
                Diagnostic::new(span, format!("`{word}` inside `{open}`"))
                    .help(format!("end the block with `{close}` first"))
            }
        }
    }

    /// Closes `count` IFs together. They jump to the slot after the ENDIF at slot `at`.
    fn end_if(
        &mut self,
        span: Span,
        count: usize,
        at: usize,
        code: &mut [Lowered<'s>],
    ) -> Result<(), Diagnostic> {
        if count == 0 {
            return Err(Diagnostic::new(span, "`endif 0` ends nothing"));
        }
        if count == 1 {
            let Some(Block { at: if_at, kind: BlockKind::If { else_at }, .. }) = self.blocks.last()
            else {
                return Err(self.unmatched("endif", span, "if"));
            };
            let opening = else_at.unwrap_or(*if_at);
            code[opening].target = Some(Jump::Slot(at + 1));
            self.blocks.pop();
            return Ok(());
        }
        let first = self.blocks.len().checked_sub(count).ok_or_else(|| {
            Diagnostic::new(
                span,
                format!("`endif {count}`, but only {} blocks are open", self.blocks.len()),
            )
        })?;
        for (k, block) in self.blocks[first..].iter().enumerate() {
            if !matches!(block.kind, BlockKind::If { else_at: None }) {
                let (open, _) = block.kind.words();
                self.blocks.truncate(first);
                return Err(Diagnostic::new(
                    span,
                    format!("`endif {count}` would end the `{open}` block"),
                )
                .help("only `if` blocks without `else` can share an endif"));
            }
            let opening = &mut code[block.at];
            opening.target = Some(Jump::Slot(at + 1));
            // An inner IF jumps past the shared ENDIF, so it also undoes the levels of the outer
            // IFs.
            if k > 0 {
                change(opening, |fc| (fc.b_op1, fc.b_pop_cnt) = (BranchOp::Decr, k as u8));
            }
        }
        self.blocks.truncate(first);
        Ok(())
    }

    /// Closes a loop. Returns its closing instruction and the slot of its opening instruction.
    fn end_loop(
        &mut self,
        span: Span,
        end_rep: bool,
        at: usize,
        code: &mut [Lowered<'s>],
    ) -> Result<(Instruction, usize), Diagnostic> {
        let (word, wanted) = if end_rep { ("endrep", "rep") } else { ("endloop", "loop") };
        let matching = matches!(
            self.blocks.last(),
            Some(Block { kind: BlockKind::Loop { rep, .. }, .. }) if *rep == end_rep
        );
        let block = if matching { self.blocks.pop() } else { None };
        let Some(Block {
            at: opened, kind: BlockKind::Loop { int, breaks, continues, .. }, ..
        }) = block
        else {
            let error = self.unmatched(word, span, wanted);
            // If any loop is open, it is probably the intended one.
            let outer =
                self.blocks.iter().rposition(|block| matches!(block.kind, BlockKind::Loop { .. }));
            self.blocks.truncate(outer.unwrap_or(self.blocks.len()));
            return Err(error);
        };
        code[opened].target = Some(Jump::Slot(at + 1));
        for slot in breaks {
            code[slot].target = Some(Jump::Slot(at + 1));
        }
        for slot in continues {
            code[slot].target = Some(Jump::Slot(at));
        }
        let op = if end_rep { FcOp::EndRep } else { FcOp::EndLoop };
        let closing = instruction(op, ALWAYS, |fc| (fc.jump_any, fc.int_addr) = (true, int));
        Ok((closing, opened))
    }

    /// BREAK or CONTINUE of the innermost loop, from inside any number of IFs.
    fn leave(&mut self, span: Span, leave: bool, at: usize) -> Result<Instruction, Diagnostic> {
        for (depth, block) in self.blocks.iter_mut().rev().enumerate() {
            let BlockKind::Loop { rep, breaks, continues, .. } = &mut block.kind else {
                continue;
            };
            let op = match (leave, *rep) {
                (true, false) => FcOp::BreakLoop,
                (true, true) => FcOp::BreakRep,
                (false, _) => FcOp::Continue,
            };
            if leave {
                breaks.push(at)
            } else {
                continues.push(at)
            }
            return Ok(instruction(op, ALWAYS, |fc| {
                (fc.b_op1, fc.b_pop_cnt) = (BranchOp::Decr, depth as u8);
            }));
        }
        let word = if leave { "break" } else { "continue" };
        Err(Diagnostic::new(span, format!("`{word}` outside a loop")))
    }

    /// Sets the fields that depend on the whole source: branch counters of calls and returns.
    pub fn finish(
        self,
        labels: &HashMap<&'s str, usize>,
        code: &mut [Lowered<'s>],
    ) -> Result<(), Vec<Diagnostic>> {
        let mut errors: Vec<Diagnostic> = self
            .blocks
            .iter()
            .map(|block| {
                let (open, close) = block.kind.words();
                Diagnostic::new(block.span, format!("`{open}` is never ended"))
                    .label(format!("add `{close}`"))
            })
            .collect();
        // A subroutine ends with its unconditional return. It begins at the first called label
        // after the end of the previous one.
        let mut previous_end = 0;
        let mut conditional = Vec::new();
        let mut used = vec![false; self.calls.len()];
        for ret in &self.returns {
            if let Some(end) = self.end.filter(|end| (previous_end..ret.at).contains(end)) {
                previous_end = end + 1;
            }
            if ret.conditional {
                conditional.push(ret.at);
                continue;
            }
            let mut s = false;
            for (call, used) in self.calls.iter().zip(&mut used) {
                if labels
                    .get(call.label.node)
                    .is_some_and(|slot| (previous_end..=ret.at).contains(slot))
                {
                    s |= call.conditional;
                    *used = true;
                }
            }
            for call in &self.calls {
                let inside = labels
                    .get(call.label.node)
                    .is_some_and(|slot| (previous_end..=ret.at).contains(slot));
                if inside && s {
                    change(&mut code[call.at], |fc| fc.b_op1 = BranchOp::Incr);
                }
            }
            for (k, slot) in conditional.iter().enumerate() {
                change(&mut code[*slot], |fc| fc.b_pop_cnt = (k + usize::from(s)) as u8);
            }
            let count = conditional.len() + usize::from(s);
            if count > MAX_DEPTH {
                errors.push(Diagnostic::new(
                    ret.span,
                    format!("a subroutine has at most {MAX_DEPTH} conditional returns"),
                ));
            }
            change(&mut code[ret.at], |fc| {
                fc.b_pop_cnt = count as u8;
                fc.b_op1 = if count == 0 { BranchOp::None } else { BranchOp::Decr };
            });
            conditional.clear();
            previous_end = ret.at + 1;
        }
        if !conditional.is_empty()
            && let Some(ret) = self.returns.iter().rfind(|ret| ret.conditional)
        {
            errors.push(Diagnostic::new(
                ret.span,
                "this subroutine has no last, unconditional `ret`",
            ));
        }
        for (call, used) in self.calls.iter().zip(used) {
            if !used && labels.contains_key(call.label.node) {
                errors.push(
                    Diagnostic::new(
                        call.label.span,
                        format!("no `ret` follows the label `{}`", call.label.node),
                    )
                    .help("a subroutine ends with `ret`"),
                );
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The integer constant of a loop. A literal count is allocated one.
fn loop_constant<'s>(
    context: &mut Context<'_, 's>,
    operand: &IntOperand<'s>,
) -> Result<u8, Diagnostic> {
    match *operand {
        IntOperand::Register(name) => int_constant(context.names, name),
        IntOperand::Literal { span, count, start, step } => {
            if count > 255 || start > 255 || !(-128..128).contains(&step) {
                return Err(Diagnostic::new(
                    span,
                    format!("({count}, {start}, {step}) is out of range"),
                )
                .label("count and aL start are 0 to 255, aL step -128 to 127"));
            }
            context.pool.int([count, start, step as u32, 0]).ok_or_else(|| {
                Diagnostic::new(
                    span,
                    "all 32 integer constants are taken; there is none for this count",
                )
            })
        }
    }
}
