//! Flow control: the blocks and subroutines of a shader, as statements of the machine.

use super::declare::in_range;
use super::emit::{Dest, LineKind, Target, vector};
use super::lower::{Lowered, Lowerer};
use super::parser::predicate_channel;
use super::syntax::*;
use super::table::Op;
use crate::asm::{Diagnostic, Span};
use crate::isa::STACK_DEPTH;
use std::collections::BTreeMap;

/// Maximum number of open blocks: the machine's branch counts have five bits.
const MAX_DEPTH: usize = 31;

/// An open block.
struct Block {
    span: Span,
    kind: BlockKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    If,
    Else,
    Rep,
    Loop,
}

impl BlockKind {
    /// The words that open and close it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            BlockKind::If => ("if", "endif"),
            BlockKind::Else => ("else", "endif"),
            BlockKind::Rep => ("rep", "endrep"),
            BlockKind::Loop => ("loop", "endloop"),
        }
    }
    fn is_loop(self) -> bool {
        matches!(self, BlockKind::Rep | BlockKind::Loop)
    }
}

/// The region of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Region {
    #[default]
    Main,
    /// After a `ret`.
    Between,
    /// Inside the subroutine with this label.
    Subroutine(u32, Span),
}

struct Call {
    /// The calling subroutine; `None` for the main program.
    from: Option<u32>,
    to: u32,
    span: Span,
}

/// The state for one shader.
#[derive(Default)]
pub(super) struct Flow {
    blocks: Vec<Block>,
    region: Region,
    labels: BTreeMap<u32, Span>,
    calls: Vec<Call>,
}

impl Flow {
    /// Checks that a statement other than `label` is allowed here.
    pub fn reachable(&self, op: Op, span: Span) -> Lowered<()> {
        if self.region == Region::Between && op != Op::Label {
            return Err(Diagnostic::new(span, "this is never executed")
                .help("after `ret` only subroutines may follow, and each begins with `label l#`"));
        }
        Ok(())
    }

    /// Checks that aL has a value here. A subroutine may be called from a loop.
    pub fn needs_loop_counter(&self, span: Span) -> Lowered<()> {
        let inside = self.blocks.iter().any(|block| block.kind == BlockKind::Loop);
        if self.region == Region::Main && !inside {
            return Err(Diagnostic::new(span, "aL has a value only inside `loop`"));
        }
        Ok(())
    }

    fn open(&mut self, span: Span, kind: BlockKind) -> Lowered<()> {
        // Open the block even after an error, so that its end is not an error too.
        self.blocks.push(Block { span, kind });
        if self.blocks.len() > MAX_DEPTH {
            return Err(Diagnostic::new(span, format!("blocks nest deeper than {MAX_DEPTH}")));
        }
        Ok(())
    }

    /// Closes the innermost block, which must be of one of these kinds.
    fn close(&mut self, span: Span, word: &str, kinds: &[BlockKind]) -> Lowered<()> {
        let wanted = kinds[0].words().0;
        match self.blocks.last() {
            Some(block) if kinds.contains(&block.kind) => {
                self.blocks.pop();
                Ok(())
            }
            Some(block) => {
                let (open, close) = block.kind.words();
                let error = Diagnostic::new(span, format!("`{word}` inside `{open}`"))
                    .help(format!("end the block with `{close}` first"));
                // If any such block is open, it is probably the intended one.
                if let Some(at) = self.blocks.iter().rposition(|b| kinds.contains(&b.kind)) {
                    self.blocks.truncate(at);
                }
                Err(error)
            }
            None => Err(Diagnostic::new(span, format!("`{word}` without `{wanted}`"))),
        }
    }

    fn in_loop(&self, span: Span) -> Lowered<()> {
        if self.blocks.iter().any(|block| block.kind.is_loop()) {
            return Ok(());
        }
        Err(Diagnostic::new(span, "`break` outside a loop"))
    }

    fn caller(&self) -> Option<u32> {
        match self.region {
            Region::Subroutine(label, _) => Some(label),
            _ => None,
        }
    }

    /// Reports invalid calls: of missing labels, recursive ones, and calls nested too deep.
    fn calls(&self, errors: &mut Vec<Diagnostic>) {
        for call in &self.calls {
            if !self.labels.contains_key(&call.to) {
                errors
                    .push(Diagnostic::new(call.span, format!("there is no `label l{}`", call.to)));
            }
        }
        if !errors.is_empty() {
            return;
        }
        // Visits subroutines in the order of their calls, each with its depth.
        let mut waiting: BTreeMap<u32, usize> = self.labels.keys().map(|&l| (l, 0)).collect();
        for call in self.calls.iter().filter(|call| call.from.is_some()) {
            *waiting.entry(call.to).or_default() += 1;
        }
        let mut ready: Vec<(Option<u32>, usize)> = vec![(None, 0)];
        ready.extend(waiting.iter().filter(|(_, n)| **n == 0).map(|(&l, _)| (Some(l), 1)));
        let mut depths: BTreeMap<u32, usize> = BTreeMap::new();
        while let Some((from, depth)) = ready.pop() {
            for call in self.calls.iter().filter(|call| call.from == from) {
                let deepest = depths.entry(call.to).or_default();
                *deepest = (*deepest).max(depth + 1);
                if *deepest > STACK_DEPTH {
                    errors.push(Diagnostic::new(
                        call.span,
                        format!("calls nest deeper than {STACK_DEPTH}"),
                    ));
                    return;
                }
                if from.is_some()
                    && let Some(count) = waiting.get_mut(&call.to)
                {
                    *count -= 1;
                    if *count == 0 {
                        ready.push((Some(call.to), *deepest));
                    }
                }
            }
        }
        let in_circle = |label: &u32| waiting.get(label).is_some_and(|count| *count > 0);
        if let Some(call) = self
            .calls
            .iter()
            .find(|call| call.from.as_ref().is_some_and(in_circle) && in_circle(&call.to))
        {
            errors.push(Diagnostic::new(
                call.span,
                format!("l{} calls itself, directly or through others", call.to),
            ));
        }
    }
}

impl Lowerer {
    pub fn flow(&mut self, instruction: &Instruction) -> Lowered<()> {
        let span = self.span;
        let operands = instruction.operands.as_slice();
        match (instruction.op, operands) {
            (Op::If, [condition]) => {
                self.flow.open(span, BlockKind::If)?;
                let condition = self.condition(condition)?;
                self.statement(format!("if {condition}"));
            }
            (Op::IfC, _) => {
                self.flow.open(span, BlockKind::If)?;
                self.compare(instruction)?;
                self.statement("if alu_result".to_string());
            }
            (Op::Else, _) => {
                match self.flow.blocks.last_mut() {
                    Some(Block { kind, .. }) if *kind == BlockKind::If => *kind = BlockKind::Else,
                    Some(Block { kind, .. }) if *kind == BlockKind::Else => {
                        return Err(Diagnostic::new(span, "a second `else` of the same `if`"));
                    }
                    Some(block) => {
                        let (open, close) = block.kind.words();
                        return Err(Diagnostic::new(span, format!("`else` inside `{open}`"))
                            .help(format!("end the block with `{close}` first")));
                    }
                    None => return Err(Diagnostic::new(span, "`else` without `if`")),
                }
                self.statement("else".to_string());
            }
            (Op::EndIf, _) => {
                let kinds = [BlockKind::If, BlockKind::Else];
                self.flow.close(span, "endif", &kinds)?;
                self.statement("endif".to_string());
            }
            (Op::Rep, [int]) => {
                self.flow.open(span, BlockKind::Rep)?;
                let int = self.int(int)?;
                self.statement(format!("rep n{int}"));
            }
            (Op::Loop, [counter, int]) => {
                self.flow.open(span, BlockKind::Loop)?;
                let is_counter = |found: &RegisterUse| {
                    found.register.file == File::LoopCounter && found.swizzle.is_none()
                };
                if !matches!(&counter.value, Value::Register(found) if is_counter(found)) {
                    return Err(
                        Diagnostic::new(counter.span, "expected aL").help("write `loop aL, i0`")
                    );
                }
                let int = self.int(int)?;
                self.statement(format!("loop n{int}"));
            }
            (Op::EndRep, _) => {
                self.flow.close(span, "endrep", &[BlockKind::Rep])?;
                self.statement("endrep".to_string());
            }
            (Op::EndLoop, _) => {
                self.flow.close(span, "endloop", &[BlockKind::Loop])?;
                self.statement("endloop".to_string());
            }
            (Op::Break, _) => {
                self.flow.in_loop(span)?;
                self.statement("break".to_string());
            }
            (Op::BreakC, _) => {
                self.flow.in_loop(span)?;
                self.compare(instruction)?;
                self.statement("break if alu_result".to_string());
            }
            (Op::BreakP, [condition]) => {
                self.flow.in_loop(span)?;
                let is_predicate = |found: &RegisterUse| found.register.file == File::Predicate;
                if !matches!(&condition.value, Value::Register(found) if is_predicate(found)) {
                    return Err(Diagnostic::new(condition.span, "expected the predicate, p0.x"));
                }
                let condition = self.condition(condition)?;
                self.statement(format!("break if {condition}"));
            }
            (Op::Call, [label]) => {
                let label = self.call(label)?;
                self.statement(format!("call sub_{label}"));
            }
            (Op::CallNz, [label, condition]) => {
                let condition = self.condition(condition)?;
                let label = self.call(label)?;
                self.statement(format!("call sub_{label} if {condition}"));
            }
            (Op::Label, [label]) => self.label(label)?,
            (Op::Ret, _) => {
                if let Some(block) = self.flow.blocks.last() {
                    let (open, close) = block.kind.words();
                    return Err(Diagnostic::new(span, format!("`ret` inside `{open}`"))
                        .help(format!("end the block with `{close}` first")));
                }
                if self.flow.region != Region::Main {
                    self.statement("ret".to_string());
                }
                self.flow.region = Region::Between;
            }
            _ => {}
        }
        Ok(())
    }

    fn statement(&mut self, text: String) {
        self.push(LineKind::Other(text));
    }

    /// Sets the ALU result by a comparison of two numbers.
    fn compare(&mut self, instruction: &Instruction) -> Lowered<()> {
        let [a, b] = instruction.operands.as_slice() else {
            return Ok(());
        };
        let (a, b) = (self.one_channel(a)?, self.one_channel(b)?);
        let Some(compare) = instruction.compare else {
            return Ok(());
        };
        let (swap, test) = compare.of_difference();
        let dest = Dest { target: Target::AluResult(test), mask: 1 };
        let operands = if swap { [b, a] } else { [a, b] };
        self.push(vector("sub", dest, &operands, None));
        Ok(())
    }

    /// A condition in the machine's assembly language.
    fn condition(&self, operand: &Operand) -> Lowered<String> {
        let wrong = || {
            Diagnostic::new(operand.span, "expected a condition")
                .help("write b0, !b0, p0.x or !p0.x; numbers are compared with `if_gt r0.x, r1.x`")
        };
        let Value::Register(found) = &operand.value else {
            return Err(wrong());
        };
        let not = if found.not { "!" } else { "" };
        match found.register.file {
            File::Bool => {
                if found.negate || found.abs || found.swizzle.is_some() {
                    return Err(Diagnostic::new(
                        operand.span,
                        "a boolean constant has no modifiers but `!`",
                    ));
                }
                let n = in_range(found, operand.span)?;
                // If the shader defines all values, clients need not bind boolean constants.
                Ok(match self.declarations.bools[n] {
                    Some(value) if value != found.not => "always".to_string(),
                    Some(_) => "never".to_string(),
                    None => format!("{not}b{n}"),
                })
            }
            File::Predicate => match predicate_channel(found, operand.span)? {
                Some(channel) => {
                    let letter = super::emit::mask_text(1 << channel);
                    Ok(format!("{not}p.{letter}"))
                }
                None => {
                    Err(Diagnostic::new(operand.span, "which channel? A jump depends on one bit")
                        .help("add .x, .y, .z or .w"))
                }
            },
            _ => Err(wrong()),
        }
    }

    fn int(&self, operand: &Operand) -> Lowered<usize> {
        match &operand.value {
            Value::Register(found) if found.register.file == File::Int => {
                if found.negate || found.abs || found.not || found.swizzle.is_some() {
                    return Err(Diagnostic::new(
                        operand.span,
                        "an integer constant has no modifiers",
                    ));
                }
                in_range(found, operand.span)
            }
            _ => Err(Diagnostic::new(operand.span, "expected an integer constant, i0")),
        }
    }

    fn label_number(&self, operand: &Operand) -> Lowered<u32> {
        match &operand.value {
            Value::Register(found) if found.register.file == File::Label => {
                if found.negate || found.abs || found.not || found.swizzle.is_some() {
                    return Err(Diagnostic::new(operand.span, "a label has no modifiers"));
                }
                Ok(in_range(found, operand.span)? as u32)
            }
            _ => Err(Diagnostic::new(operand.span, "expected a label, l0")),
        }
    }

    fn call(&mut self, operand: &Operand) -> Lowered<u32> {
        let to = self.label_number(operand)?;
        self.flow.calls.push(Call { from: self.flow.caller(), to, span: operand.span });
        Ok(to)
    }

    fn label(&mut self, operand: &Operand) -> Lowered<()> {
        let span = self.span;
        let label = self.label_number(operand);
        // A bad label begins a subroutine too, so that the statements after it are not errors.
        let number = label.as_ref().copied().unwrap_or(u32::MAX);
        match self.flow.region {
            Region::Between => {}
            Region::Main => {
                return Err(Diagnostic::new(
                    span,
                    "the main program ends with `ret` before its subroutines",
                ));
            }
            Region::Subroutine(other, _) => {
                return Err(Diagnostic::new(
                    span,
                    format!("the subroutine l{other} ends with `ret` before the next one"),
                ));
            }
        }
        self.flow.region = Region::Subroutine(number, span);
        let label = label?;
        if self.flow.labels.insert(label, span).is_some() {
            return Err(Diagnostic::new(
                operand.span,
                format!("`label l{label}` is defined twice"),
            ));
        }
        if self.flow.labels.len() == 1 {
            // The end of the main program.
            self.statement("end".to_string());
        }
        self.push(LineKind::Label(format!("sub_{label}")));
        Ok(())
    }

    /// Checks the end of the source.
    pub fn finish(&mut self) -> Vec<Diagnostic> {
        let mut errors: Vec<Diagnostic> = self
            .flow
            .blocks
            .iter()
            .map(|block| {
                let (open, close) = block.kind.words();
                Diagnostic::new(block.span, format!("`{open}` is never ended"))
                    .label(format!("add `{close}`"))
            })
            .collect();
        if let Region::Subroutine(label, span) = self.flow.region {
            errors.push(Diagnostic::new(span, format!("the subroutine l{label} has no `ret`")));
        }
        if errors.is_empty() {
            self.flow.calls(&mut errors);
        }
        let ends = self.lines.last().is_some_and(|line| line.is_output());
        if self.flow.labels.is_empty() && !ends {
            self.statement("end".to_string());
        }
        errors
    }
}
