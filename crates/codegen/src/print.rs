//! The intermediate forms as text. One line is one node, operation or instruction: its number, what it is, its operands by
//! their numbers, the line of the source.

use crate::code::{Atom, Code, Constant, Does, Operand, Operation, Source, ValueId};
use crate::flow::{Block, BlockId, Control};
use crate::graph::{Fetch, Id, Op};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use crate::lines::Lines;
use crate::placement::{NOWHERE, Placement, roots};
use crate::rematerialize::rematerialize;
use crate::schedule::{Schedule, Slot};
use crate::{motion, search};
use ctm_base::work::Work;
use ctm_isa::isa::{LETTERS, Omod, Presub};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// An intermediate form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The nodes with an effect, as the rules left them.
    Graph,
    /// The nodes, and the blocks as the front end made them: all that the passes take, as [`crate::read`] reads it.
    Blocks,
    /// The blocks after code motion: the nodes that each computes, the channels of variables.
    Placed,
    /// The operations, after selection and copy insertion.
    Selected,
    /// The operations as the scheduler left them, which splits some.
    Code,
    /// The instructions, with their operations and registers.
    Schedule,
}

/// Prints a form of the program that became `schedule`. `source` is the text that it was made of.
///
/// # Errors
/// The budget of work does not suffice to run the passes up to this form again.
pub fn print(
    ir: &Ir,
    schedule: &Schedule,
    form: Form,
    source: &str,
    work: &Work<'_>,
) -> Result<String, Exceeded> {
    let mut printer = Printer { ir, lines: Lines::of(source), text: String::new() };
    match form {
        Form::Graph => printer.graph(),
        Form::Blocks => return Ok(blocks(ir, source)),
        Form::Placed => printer.blocks(Some(&motion::place(ir, work)?)),
        Form::Selected => {
            let placement = motion::place(ir, work)?;
            let policy = schedule.code.policy;
            let mut code = search::selected(ir, &placement, policy, work)
                .map_err(|why| Limit::Work(why).at(0))?;
            if schedule.code.rematerialized {
                rematerialize(&mut code);
            }
            printer.code(&code);
        }
        Form::Code => printer.code(&schedule.code),
        Form::Schedule => printer.schedule(schedule),
    }
    Ok(printer.text)
}

/// Prints the graph and its blocks: [`Form::Blocks`].
pub fn blocks(ir: &Ir, source: &str) -> String {
    let mut printer = Printer { ir, lines: Lines::of(source), text: String::new() };
    printer.whole();
    printer.text
}

struct Printer<'a> {
    ir: &'a Ir,
    lines: Lines,
    text: String,
}

/// The channels of a mask, bit 0 R to bit 3 A.
fn letters(mask: u8) -> String {
    (0..4).filter(|channel| mask >> channel & 1 != 0).map(|channel| LETTERS[channel]).collect()
}

fn channel(place: (u8, u8)) -> String {
    register('r', place)
}

fn register(file: char, (register, channel): (u8, u8)) -> String {
    format!("{file}{register}.{}", LETTERS[usize::from(channel)])
}

/// Numbers as they are written: floats, and the bits of a NaN.
fn literal(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() { format!("0x{bits:08x}") } else { format!("{value:?}") }
}

/// The name of an operation of the graph.
pub(crate) fn operation(op: Op) -> String {
    format!("{op:?}").to_lowercase().replace(['(', ')'], "")
}

/// The instruction that ends a block, if there is one.
fn control(end: Control) -> Option<String> {
    let name = match end {
        Control::Next => return None,
        Control::If(_) => "if",
        Control::Else => "else",
        Control::EndIf => "endif",
        Control::Loop(count) => return Some(format!("loop {count}")),
        Control::Break(_) => "break",
        Control::EndLoop => "endloop",
    };
    Some(name.to_string())
}

fn fetch(fetch: Fetch) -> String {
    let unscaled = if fetch.unscaled { " unscaled" } else { "" };
    let projected = if fetch.projected { " projected" } else { "" };
    format!("fetch i{}{unscaled}{projected}", fetch.input)
}

impl Printer<'_> {
    /// A line, with the line of the source that it comes from.
    fn line(&mut self, text: &str, origin: u32) {
        let _ = match self.lines.line(origin) {
            Some(line) => writeln!(self.text, "{text:<48} # {line}"),
            None => writeln!(self.text, "{text}"),
        };
    }

    fn uniform(&self, n: u32) -> String {
        let interface = &self.ir.interface;
        interface.name_of(interface.scalars[n as usize])
    }

    fn varying(&self, slot: u32, channel: u32) -> String {
        let varying = &self.ir.interface.varyings[slot as usize];
        format!("{}.{}", varying.name, LETTERS[channel as usize])
    }

    fn node(&mut self, id: Id, indent: &str, placement: Option<&Placement>) {
        let node = self.ir.graph.node(id);
        let op = match node.op {
            Op::Literal(bits) => format!("literal {}", literal(bits)),
            Op::Uniform(n) => format!("uniform {}", self.uniform(n)),
            Op::Input(n) => format!("input {}", self.varying(n / 4, n % 4)),
            Op::Phi(n) => {
                let phi = self.ir.flow.phis[n as usize];
                let variable =
                    placement.map_or(phi.variable, |placement| placement.variable[n as usize]);
                format!("phi v{variable} block {}", phi.block)
            }
            Op::Array(n) => format!("array a{n}"),
            Op::Fetch(of) => fetch(of),
            Op::Texel(channel) => format!("texel {}", LETTERS[usize::from(channel)]),
            Op::Neg
            | Op::Abs
            | Op::Add
            | Op::Mul
            | Op::Min
            | Op::Max
            | Op::Cmp
            | Op::Frc
            | Op::Ex2
            | Op::Ln2
            | Op::Rcp
            | Op::Rsq
            | Op::Sin
            | Op::Cos
            | Op::Clamp
            | Op::Dot(_)
            | Op::Dx
            | Op::Dy => operation(node.op),
        };
        let (op, operands) = match self.ir.graph.conditions.get(&id) {
            Some((name, operands)) => (name.to_string(), operands.clone()),
            None => (op, node.operands().collect()),
        };
        let operands: Vec<String> = operands.iter().map(|arg| format!("%{arg}")).collect();
        let text = format!("{indent}%{id} = {op} {}", operands.join(", "));
        self.line(text.trim_end(), self.ir.graph.origin_of(id));
    }

    /// The nodes that some need, themselves among them.
    fn needed(&self, mut open: Vec<Id>) -> Vec<bool> {
        let graph = &self.ir.graph;
        let mut needed = vec![false; graph.size()];
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut needed[id as usize], true) {
                match graph.conditions.get(&id) {
                    Some((_, operands)) => open.extend(operands),
                    None => open.extend(graph.node(id).operands()),
                }
            }
        }
        needed
    }

    /// The nodes that each block needs itself.
    fn roots(&self) -> Vec<Id> {
        let blocks = &self.ir.flow.blocks;
        let assignments: Vec<_> = blocks.iter().map(|block| block.assignments.clone()).collect();
        (0..blocks.len()).flat_map(|block| roots(self.ir, &assignments, block)).collect()
    }

    fn graph(&mut self) {
        let needed = self.needed(self.roots());
        for id in (0..self.ir.graph.size() as Id).filter(|id| needed[*id as usize]) {
            self.node(id, "", None);
        }
        self.outputs();
    }

    /// The nodes, the vectors, the blocks.
    fn whole(&mut self) {
        let ir = self.ir;
        let mut open = self.roots();
        for block in &ir.flow.blocks {
            open.extend(block.kills.iter().map(|(condition, _)| *condition));
            open.extend(block.end.condition());
        }
        open.extend(ir.flow.arrays.iter().flat_map(|array| array.values.iter().copied()));
        let needed = self.needed(open);
        for id in (0..ir.graph.size() as Id).filter(|id| needed[*id as usize]) {
            self.node(id, "", None);
        }
        let mut seen = FxHashSet::default();
        for vector in &ir.graph.vectors {
            let member = |id: &Id| {
                if needed[*id as usize] { format!("%{id}") } else { "_".to_string() }
            };
            let members: Vec<String> = vector.iter().map(member).collect();
            if members.iter().filter(|member| *member != "_").count() > 1 {
                let text = members.join(", ");
                if seen.insert(text.clone()) {
                    let _ = writeln!(self.text, "vector {text}");
                }
            }
        }
        for vector in ir.flow.vectors.iter().filter(|vector| vector.len() > 1) {
            let members: Vec<String> =
                vector.iter().map(|variable| format!("v{variable}")).collect();
            let _ = writeln!(self.text, "vector {}", members.join(", "));
        }
        self.blocks(None);
    }

    fn outputs(&mut self) {
        for output in &self.ir.outputs {
            let channel = LETTERS[usize::from(output.channel)];
            self.line(&format!("o{}.{channel} = %{}", output.slot, output.value), output.origin);
        }
    }

    fn blocks(&mut self, placement: Option<&Placement>) {
        for (n, array) in self.ir.flow.arrays.iter().enumerate() {
            let values: Vec<String> = array.values.iter().map(|id| format!("%{id}")).collect();
            let _ =
                writeln!(self.text, "a{n} = array of block {}: {}", array.head, values.join(", "));
        }
        for (n, block) in self.ir.flow.blocks.iter().enumerate() {
            let _ = writeln!(self.text, "block {n}");
            if let Some(placement) = placement {
                let here = |id: &Id| {
                    placement.block[*id as usize] == n && placement.block[*id as usize] != NOWHERE
                };
                for id in (0..self.ir.graph.size() as Id).filter(here) {
                    self.node(id, "    ", Some(placement));
                }
            }
            self.block(n, block, placement);
        }
        self.outputs();
    }

    /// The effects at the end of a block.
    fn block(&mut self, n: BlockId, block: &Block, placement: Option<&Placement>) {
        // Code motion leaves what conditions test.
        let condition = |printer: &Self, id: Id| match placement {
            Some(_) => printer.condition(id),
            None => format!("%{id}"),
        };
        for (kill, _) in &block.kills {
            let _ = writeln!(self.text, "    kill {}", condition(self, *kill));
        }
        for ([value, column, row], _) in &block.writes {
            let _ = writeln!(self.text, "    write %{value}, %{column}, %{row}");
        }
        let assignments =
            placement.map_or(&block.assignments, |placement| &placement.assignments[n]);
        for (variable, id) in assignments {
            // Registers of variables count from the first after the varyings.
            let place = placement.map_or(String::new(), |placement| {
                format!(" in {}", channel(placement.places[*variable]))
            });
            let _ = writeln!(self.text, "    v{variable}{place} = %{id}");
        }
        if let Some(control) = control(block.end) {
            let condition = block.end.condition().map(|id| condition(self, id));
            let text = format!("    {control} {}", condition.unwrap_or_default());
            self.line(text.trim_end(), block.origin);
        }
    }

    /// A condition as it is tested.
    fn condition(&self, id: Id) -> String {
        match self.ir.graph.test(id) {
            Some((id, true)) => format!("%{id} >= 0"),
            Some((id, false)) => format!("not %{id} >= 0"),
            None => format!("%{id}"),
        }
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Value(value) => format!("%{value}"),
            Atom::Constant(Constant::Literal(bits)) => literal(bits),
            Atom::Constant(Constant::Uniform(n)) => self.uniform(n),
            Atom::Constant(Constant::Register(n, channel)) => register('c', (n, channel)),
            Atom::Constant(Constant::Array(n)) => format!("a{n}"),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        let text = match operand.source {
            Source::Atom(atom) => self.atom(atom),
            Source::Presub(presub, [a, b]) => {
                let [a, b] = [a, b].map(|atom| self.atom(atom));
                match presub {
                    Presub::Bias => format!("(1 - 2 {a})"),
                    Presub::Inv => format!("(1 - {a})"),
                    Presub::Sub => format!("({b} - {a})"),
                    Presub::Add => format!("({a} + {b})"),
                }
            }
        };
        let text = if operand.abs { format!("|{text}|") } else { text };
        if operand.neg { format!("-{text}") } else { text }
    }

    fn operation(&self, n: usize, operation: &Operation, code: &Code) -> String {
        let mut text = match operation.does {
            Does::Lane(op) => op.name().to_lowercase(),
            Does::Dot(count) => format!("dot{count}"),
            Does::Fetch(of) => fetch(of),
            Does::Kill => "kill".to_string(),
            Does::Write => "write".to_string(),
        };
        text += match operation.omod {
            Omod::X1 => "",
            Omod::X2 => "*2",
            Omod::X4 => "*4",
            Omod::X8 => "*8",
            Omod::Div2 => "/2",
            Omod::Div4 => "/4",
            Omod::Div8 => "/8",
            Omod::Disabled => ".exact",
        };
        if operation.clamp {
            text += ".sat";
        }
        let operands: Vec<String> =
            operation.operands.iter().map(|one| self.operand(one)).collect();
        let results: Vec<String> =
            operation.results.iter().flatten().map(|value| self.result(*value, code)).collect();
        let assigned =
            if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
        let mut text = format!("    {n}: {assigned}{text} {}", operands.join(", "));
        if let Some((slot, mask)) = operation.out {
            let _ = write!(text, " -> o{slot}.{}", letters(mask));
        }
        if operation.test {
            text += " -> condition";
        }
        for before in &operation.after {
            let _ = write!(text, " after {before}");
        }
        text
    }

    /// A value where it is made: with its register or its group, if it has one.
    fn result(&self, value: ValueId, code: &Code) -> String {
        let made = &code.values[value];
        let mut text = format!("%{value}");
        if let Some(place) = made.fixed {
            let _ = write!(text, " in {}", channel(place));
        }
        if let Some((group, place)) = made.group {
            let strict = if code.groups[group].strict { "!" } else { "" };
            let _ = write!(text, " of g{group}{strict}.{place}");
        }
        text
    }

    fn code(&mut self, code: &Code) {
        for (n, value) in code.values.iter().enumerate().filter(|(_, value)| value.made.is_none()) {
            if let Some((slot, channel)) = value.input {
                let name = self.varying(slot, channel.into());
                let _ = writeln!(self.text, "%{n} = input {name}");
            } else if let Some(place) = value.fixed {
                let _ = writeln!(self.text, "%{n} = variable in {}", channel(place));
            }
        }
        for (n, end) in code.ends.iter().enumerate() {
            let _ = writeln!(self.text, "block {n}");
            for (n, operation) in
                code.operations.iter().enumerate().filter(|(_, one)| one.block == n)
            {
                let text = self.operation(n, operation, code);
                self.line(&text, operation.origin);
            }
            let Some(control) = control(end.end) else { continue };
            let test = end.test.map_or(String::new(), |(comparison, fails)| {
                format!(" {}{}", if fails { "not " } else { "" }, comparison.name())
            });
            self.line(&format!("    {control}{test}"), end.origin);
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        for (slot, temp) in &schedule.inputs {
            let name = &self.ir.interface.varyings[*slot as usize].name;
            let _ = writeln!(self.text, "r{temp} = input {name}");
        }
        for (n, slot) in schedule.slots.iter().enumerate() {
            let text = match slot {
                Slot::Alu(packed, dest) => {
                    let mut text = "alu".to_string();
                    for (lane, member) in packed.members.iter().enumerate() {
                        let Some(member) = member else { continue };
                        let operation = &schedule.code.operations[member.operation];
                        let _ = write!(text, " {}:{}", LETTERS[lane], member.operation);
                        let place = Some((dest[lane / 3], lane as u8));
                        if operation.result().is_some_and(|value| schedule.places[value] == place) {
                            let _ = write!(text, ">r{}", dest[lane / 3]);
                        }
                    }
                    text
                }
                Slot::Fetch(operation, register) => format!("fetch {operation}>r{register}"),
                Slot::Kill(all) => {
                    let all: Vec<String> = all.iter().map(usize::to_string).collect();
                    format!("kill {}", all.join(" "))
                }
                Slot::Flow(block) => {
                    let control = control(schedule.code.ends[*block].end).unwrap_or_default();
                    format!("{control}, end of block {block}")
                }
            };
            self.line(&format!("{n}: {text}"), slot.origin(&schedule.code));
        }
    }
}

#[cfg(test)]
mod tests;
