//! Flow control as steps.

use super::declare::in_range;
use super::expand::Expander;
use super::parser::predicate_channel;
use super::steps::{Dest, Step, Target, Test};
use super::structure::{Call, Region};
use super::syntax::*;
use super::table::Jump;
use crate::program::ConstantKind;
use ctm_base::text::{BlockKind, Diagnostic, Parsed};

/// The number of an integer constant or a label.
fn whole(operand: &Operand, file: File) -> Parsed<u32> {
    let (expected, what) = match file {
        File::Int => ("expected an integer constant, i0", "an integer constant"),
        _ => ("expected a label, l0", "a label"),
    };
    let found = operand.register_of(file).ok_or_else(|| operand.span.error(expected))?;
    if found.is_signed() || found.not || found.swizzle.is_some() {
        return Err(operand.span.error(format!("{what} has no modifiers")));
    }
    Ok(in_range(found, operand.span)? as u32)
}

impl Expander {
    pub fn flow(&mut self, op: Jump, instruction: &Instruction) -> Parsed<()> {
        let span = self.span;
        let blocks = &mut self.structure.blocks;
        match (op, instruction.operands.as_slice()) {
            (Jump::If, [condition]) => {
                blocks.open(span, BlockKind::If, ())?;
                let condition = self.condition(condition)?;
                self.push(Step::If(condition));
            }
            (Jump::IfC, _) => {
                blocks.open(span, BlockKind::If, ())?;
                self.compare(instruction)?;
                self.push(Step::If(Test::AluResult));
            }
            (Jump::Else, _) => {
                blocks.otherwise(span)?;
                self.push(Step::Else);
            }
            (Jump::Rep, [int]) => {
                blocks.open(span, BlockKind::Rep, ())?;
                self.begin_loop(BlockKind::Rep, int)?;
            }
            (Jump::Loop, [counter, int]) => {
                blocks.open(span, BlockKind::Loop, ())?;
                let found = counter.register_of(File::LoopCounter);
                if found.is_none_or(|found| found.swizzle.is_some()) {
                    return Err(counter.span.error("expected aL").help("write `loop aL, i0`"));
                }
                self.begin_loop(BlockKind::Loop, int)?;
            }
            (Jump::End(kind), _) => {
                blocks.close(span, kind)?;
                self.push(match kind {
                    BlockKind::If | BlockKind::Else => Step::EndIf,
                    BlockKind::Loop | BlockKind::Rep => Step::EndLoop(kind),
                });
            }
            (Jump::Break, _) => {
                blocks.innermost_loop("break", span)?;
                self.push(Step::Break(None));
            }
            (Jump::BreakC, _) => {
                blocks.innermost_loop("break", span)?;
                self.compare(instruction)?;
                self.push(Step::Break(Some(Test::AluResult)));
            }
            (Jump::BreakP, [condition]) => {
                blocks.innermost_loop("break", span)?;
                if condition.register_of(File::Predicate).is_none() {
                    return Err(condition.span.error("expected the predicate, p0.x"));
                }
                let condition = self.condition(condition)?;
                self.push(Step::Break(Some(condition)));
            }
            (Jump::Call, [label]) => {
                let label = self.call(label)?;
                self.push(Step::Call(label, None));
            }
            (Jump::CallNz, [label, condition]) => {
                let condition = self.condition(condition)?;
                let label = self.call(label)?;
                self.push(Step::Call(label, Some(condition)));
            }
            (Jump::Label, [label]) => self.label(label)?,
            (Jump::Ret, _) => {
                if let Some((error, kind)) = blocks.inside("ret", span) {
                    let close = kind.words().1;
                    return Err(error.help(format!("end the block with `{close}` first")));
                }
                if self.structure.region != Region::Main {
                    self.push(Step::Return);
                }
                self.structure.region = Region::Between;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin_loop(&mut self, kind: BlockKind, int: &Operand) -> Parsed<()> {
        let int = whole(int, File::Int)? as u8;
        self.push(Step::Loop(kind, int));
        Ok(())
    }

    /// Sets the ALU result by a comparison of two numbers.
    fn compare(&mut self, instruction: &Instruction) -> Parsed<()> {
        let ([a, b], Some(compare)) = (&instruction.operands[..], instruction.compare) else {
            return Ok(());
        };
        let operands = compare.of(self.one_channel(a)?, self.one_channel(b)?);
        self.vector("sub", Dest::new(Target::AluResult(compare.test), 1), &operands);
        Ok(())
    }

    /// A condition of a jump.
    fn condition(&self, operand: &Operand) -> Parsed<Test> {
        let wrong = || {
            operand
                .span
                .error("expected a condition")
                .help("write b0, !b0, p0.x or !p0.x; numbers are compared with `if_gt r0.x, r1.x`")
        };
        let Value::Register(found) = &operand.value else {
            return Err(wrong());
        };
        match found.register.file {
            File::Bool => {
                if found.negate || found.abs || found.swizzle.is_some() {
                    return Err(operand.span.error("a boolean constant has no modifiers but `!`"));
                }
                let n = in_range(found, operand.span)?;
                // If the shader defines all values, clients need not bind boolean constants.
                Ok(match self.declarations.value(ConstantKind::Bool, n) {
                    Some([value, ..]) => Test::Known((value != 0) != found.not),
                    None => Test::Boolean(n as u8, found.not),
                })
            }
            File::Predicate => match predicate_channel(found, operand.span)? {
                Some(channel) => Ok(Test::Predicate(channel, found.not)),
                None => Err(operand
                    .span
                    .error("which channel? A jump depends on one bit")
                    .help("add .x, .y, .z or .w")),
            },
            _ => Err(wrong()),
        }
    }

    fn call(&mut self, operand: &Operand) -> Parsed<u32> {
        let to = whole(operand, File::Label)?;
        self.structure.calls.push(Call { from: self.structure.caller(), to, span: operand.span });
        Ok(to)
    }

    fn label(&mut self, operand: &Operand) -> Parsed<()> {
        let span = self.span;
        let label = whole(operand, File::Label);
        // A bad label begins a subroutine too, so that the statements after it are not errors.
        let number = label.as_ref().copied().unwrap_or(u32::MAX);
        match self.structure.region {
            Region::Between => {}
            Region::Main => {
                return Err(span.error("the main program ends with `ret` before its subroutines"));
            }
            Region::Subroutine(other, _) => {
                return Err(span.error(format!(
                    "the subroutine l{other} ends with `ret` before the next one"
                )));
            }
        }
        self.structure.region = Region::Subroutine(number, span);
        let label = label?;
        if self.structure.labels.insert(label, span).is_some() {
            return Err(operand.span.error(format!("`label l{label}` is defined twice")));
        }
        if self.structure.labels.len() == 1 {
            // The end of the main program.
            self.push(Step::End);
        }
        self.push(Step::Label(label));
        Ok(())
    }

    /// Checks the end of the source.
    pub fn finish(&mut self) -> Vec<Diagnostic> {
        let mut errors = self.structure.blocks.unended();
        if let Region::Subroutine(label, span) = self.structure.region {
            errors.push(span.error(format!("the subroutine l{label} has no `ret`")));
        }
        if errors.is_empty() {
            self.structure.check_calls(&mut errors);
        }
        let ends = self.steps.last().is_some_and(|located| located.step.is_output());
        if self.structure.labels.is_empty() && !ends {
            self.push(Step::End);
        }
        errors
    }
}
