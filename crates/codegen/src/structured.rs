//! Instructions of flow control, as the assembler writes IF, ELSE, ENDIF, LOOP, BREAK and ENDLOOP \[G 36-40\].

use crate::code::BlockEnd;
use crate::flow::Control;
use ctm_isa::isa::{Body, BranchOp, Fc, FcOp, Instruction, Type};

/// "Every point votes to jump", "none does", "those with the ALU result do".
const ALWAYS: u8 = 0xff;
const NEVER: u8 = 0;
const IF_RESULT: u8 = 0xf0;

/// An open branch or loop, by the slots of its instructions.
enum Open {
    /// An IF or its ELSE.
    If { first: usize, last: usize },
    /// A loop, its integer constant, whether it counts in aL, its BREAKs.
    Loop { at: usize, int: u8, indexed: bool, breaks: Vec<usize> },
}

/// The open branches and loops of a program, and the jumps that are not filled in.
#[derive(Default)]
pub struct StructuredFlow {
    open: Vec<Open>,
    /// Jumps and where they go.
    targets: Vec<(usize, usize)>,
    /// IFs that have an ELSE.
    sided: Vec<usize>,
    /// The integer constants: how often loops run, and the step of aL.
    pub counts: Vec<(u8, u8)>,
}

impl StructuredFlow {
    /// The instruction at slot `at` that ends a block.
    pub fn instruction(&mut self, end: &BlockEnd, at: usize) -> Instruction {
        let mut instruction = Instruction::blank(Type::Fc);
        if let Body::Fc(fc) = &mut instruction.body {
            self.fill(fc, end, at);
        }
        instruction
    }

    fn fill(&mut self, fc: &mut Fc, end: &BlockEnd, at: usize) {
        // Jumps if the condition holds.
        let table = match end.test {
            Some((_, false)) => IF_RESULT,
            Some((_, true)) => !IF_RESULT,
            None => ALWAYS,
        };
        (fc.op, fc.jump_func) = (FcOp::Jump, NEVER);
        match end.end {
            Control::Next => {}
            Control::If(_) => {
                fc.jump_func = !table;
                fc.b_op0 = BranchOp::Incr;
                self.open.push(Open::If { first: at, last: at });
            }
            Control::Else => {
                (fc.b_else, fc.b_op1, fc.b_pop_cnt) = (true, BranchOp::Decr, 1);
                if let Some(Open::If { first, last }) = self.open.last_mut() {
                    *last = at;
                    self.targets.push((*first, at + 1));
                    self.sided.push(*first);
                }
            }
            Control::EndIf => {
                (fc.jump_any, fc.b_op0, fc.b_pop_cnt) = (true, BranchOp::Decr, 1);
                if let Some(Open::If { last, .. }) = self.open.pop() {
                    self.targets.push((last, at + 1));
                }
            }
            Control::Loop(count) => {
                let indexed = end.indexed;
                let wanted = (count, u8::from(indexed));
                let known = self.counts.iter().position(|known| *known == wanted);
                let int = known.unwrap_or_else(|| {
                    self.counts.push(wanted);
                    self.counts.len() - 1
                }) as u8;
                (fc.op, fc.int_addr) = (if indexed { FcOp::Loop } else { FcOp::Rep }, int);
                self.open.push(Open::Loop { at, int, indexed, breaks: Vec::new() });
            }
            Control::Break(_) => {
                let inner = |open: &&mut Open| matches!(open, Open::Loop { .. });
                let depth = self
                    .open
                    .iter()
                    .rev()
                    .take_while(|open| !matches!(open, Open::Loop { .. }))
                    .count();
                (fc.op, fc.jump_func) = (FcOp::BreakRep, table);
                if let Some(Open::Loop { breaks, indexed, .. }) =
                    self.open.iter_mut().rev().find(inner)
                {
                    breaks.push(at);
                    if *indexed {
                        fc.op = FcOp::BreakLoop;
                    }
                }
                (fc.b_op1, fc.b_pop_cnt) = (BranchOp::Decr, depth as u8);
            }
            Control::EndLoop => {
                (fc.op, fc.jump_func, fc.jump_any) = (FcOp::EndRep, ALWAYS, true);
                if let Some(Open::Loop { at: start, int, indexed, breaks }) = self.open.pop() {
                    fc.int_addr = int;
                    if indexed {
                        fc.op = FcOp::EndLoop;
                    }
                    self.targets.push((start, at + 1));
                    self.targets.push((at, start + 1));
                    self.targets.extend(breaks.into_iter().map(|slot| (slot, at + 1)));
                }
            }
        }
    }

    /// Fills in where jumps go.
    pub fn finish(&self, code: &mut [Instruction]) {
        for (from, to) in &self.targets {
            if let Body::Fc(fc) = &mut code[*from].body {
                fc.jump_addr = *to as u16;
            }
        }
        for at in &self.sided {
            if let Body::Fc(fc) = &mut code[*at].body {
                fc.b_op1 = BranchOp::Incr;
            }
        }
    }
}
