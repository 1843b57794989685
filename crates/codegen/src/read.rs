//! The graph and its blocks, from the text of [`Form::Blocks`](crate::print::Form::Blocks).
//!
//! A node may also be in its block, and a program without a line `block` has one. Names of uniforms and varyings end with
//! the letter of a channel, or are single floats.

use crate::flow::{Block, ConstantArray, Control, FlowGraph, Phi};
use crate::graph::{Fetch, Graph, Id, Op, Rules};
use crate::ir::{Ir, OutputChannel};
use crate::print;
use ctm_isa::isa::LETTERS;
use ctm_lang::program::interface::{Interface, Kind, Output, Sampler, Scalar, Uniform, Varying};
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {text:?}: expected {expected}")]
pub struct ReadError {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The expected text.
    pub expected: &'static str,
}

/// The expected text.
type Expected = &'static str;

/// Reads a graph and its blocks. `by_rules`: the rules make the nodes; otherwise they are as the text has them.
///
/// # Errors
/// A line cannot be read, names what is not there, or branches and loops are not nested.
pub fn read(text: &str, rules: Rules, by_rules: bool) -> Result<Ir, ReadError> {
    let ir = Ir {
        graph: Graph::new(rules),
        flow: FlowGraph { blocks: Vec::new(), ..FlowGraph::default() },
        outputs: Vec::new(),
        interface: Interface::default(),
        variables: Vec::new(),
        stores: Vec::new(),
        registers: None,
    };
    let mut reader = Reader { ir, ids: FxHashMap::default(), by_rules };
    if !text.lines().any(|line| line.trim().starts_with("block")) {
        reader.ir.flow.blocks.push(Block::new(Control::Next));
    }
    let mut last = (0, "");
    for (n, whole) in text.lines().enumerate() {
        last = (n, whole);
        let line = whole.split('#').next().unwrap_or_default().trim();
        let wrong = |expected| ReadError { line: n + 1, text: whole.trim().to_string(), expected };
        if !line.is_empty() {
            reader.line(line).map_err(wrong)?;
        }
    }
    let (n, text) = last;
    let wrong = |expected| ReadError { line: n + 1, text: text.trim().to_string(), expected };
    reader.finish().map_err(wrong)
}

struct Reader {
    ir: Ir,
    /// The nodes by their names in the text.
    ids: FxHashMap<String, Id>,
    by_rules: bool,
}

/// The number after a letter, as in `v3`.
fn number<T: FromStr>(text: &str, letter: char) -> Option<T> {
    text.strip_prefix(letter)?.parse().ok()
}

/// A name and the channel after its last dot.
fn channel(text: &str) -> Option<(&str, u8)> {
    let (name, letter) = text.rsplit_once('.')?;
    Some((name, letter_of(letter)?))
}

fn letter_of(text: &str) -> Option<u8> {
    LETTERS.iter().position(|letter| letter.to_string() == text).map(|n| n as u8)
}

/// The bits of a literal.
fn literal(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(bits) => u32::from_str_radix(bits, 16).ok(),
        None => text.parse::<f32>().ok().map(f32::to_bits),
    }
}

impl Reader {
    fn id(&self, name: &str) -> Result<Id, Expected> {
        self.ids.get(name).copied().ok_or("a node of a line before")
    }

    fn last(&mut self) -> Result<&mut Block, Expected> {
        self.ir.flow.blocks.last_mut().ok_or("a block before")
    }

    fn end(&mut self, end: Control) -> Result<(), Expected> {
        self.last()?.end = end;
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Expected> {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["block", _] => self.ir.flow.blocks.push(Block::new(Control::Next)),
            ["if", condition] => self.end(Control::If(self.id(condition)?))?,
            ["else"] => self.end(Control::Else)?,
            ["endif"] => self.end(Control::EndIf)?,
            ["loop", count] => {
                self.end(Control::Loop(count.parse().map_err(|_| "a trip count up to 255")?))?;
            }
            ["break", condition] => self.end(Control::Break(self.id(condition)?))?,
            ["endloop"] => self.end(Control::EndLoop)?,
            ["kill", condition] => {
                let condition = self.id(condition)?;
                self.last()?.kills.push((condition, 0));
            }
            ["write", value, column, row] => {
                let write = [self.id(value)?, self.id(column)?, self.id(row)?];
                self.last()?.writes.push((write, 0));
            }
            ["vector", ref members @ ..] if members.iter().any(|one| one.starts_with('%')) => {
                let mut ids = Vec::new();
                for member in members {
                    // A component that nothing needs: a literal that no program has.
                    let none = *member == "_";
                    ids.push(if none { self.ir.graph.literal(u32::MAX) } else { self.id(member)? });
                }
                self.ir.graph.vector(&ids);
            }
            ["vector", ref members @ ..] => {
                let variables = members.iter().map(|one| self.variable(one));
                let variables = variables.collect::<Result<_, _>>()?;
                self.ir.flow.vectors.push(variables);
            }
            [_, "=", "array", "of", "block", head, ref elements @ ..] => {
                let head = head.trim_end_matches(':').parse().map_err(|_| "a block's number")?;
                let elements = elements.iter().map(|id| self.id(id));
                let values = elements.collect::<Result<Vec<Id>, _>>()?;
                self.ir.flow.arrays.push(ConstantArray {
                    head,
                    indices: Vec::new(),
                    elements: values.clone().into(),
                    first: 0,
                    values,
                });
            }
            [name, "=", value] if name.starts_with('v') => {
                let (variable, value) = (self.variable(name)?, self.id(value)?);
                self.last()?.assignments.push((variable, value));
            }
            [name, "=", value] if name.starts_with('o') => {
                let (slot, channel) = channel(name).ok_or("a channel of an output")?;
                let slot = number(slot, 'o').ok_or("an output, as `o0`")?;
                let outputs = &mut self.ir.interface.outputs;
                if outputs.iter().all(|output| output.slot != slot) {
                    outputs.push(Output { name: format!("o{slot}"), slot });
                }
                let value = self.id(value)?;
                self.ir.outputs.push(OutputChannel { slot, channel, value, origin: 0 });
            }
            [name, "=", op, ref operands @ ..] if name.starts_with('%') => {
                let id = self.node(op, operands)?;
                self.ids.insert(name.to_string(), id);
            }
            _ => return Err("a line of a form"),
        }
        Ok(())
    }

    /// A variable, as in `v3`.
    fn variable(&mut self, name: &str) -> Result<usize, Expected> {
        let variable: u16 = number(name, 'v').ok_or("a variable, as `v3`")?;
        let variable = usize::from(variable);
        self.ir.flow.variables = self.ir.flow.variables.max(variable + 1);
        Ok(variable)
    }

    /// A scalar of the interface that is a uniform.
    fn uniform(&mut self, text: &str) -> Op {
        let interface = &mut self.ir.interface;
        let (name, component, rows) = match channel(text) {
            Some((name, channel)) => (name, channel.into(), 4),
            None => (text, 0, 1),
        };
        let known = interface.uniforms.iter().position(|one| one.name == name && one.rows == rows);
        let n = known.unwrap_or_else(|| {
            let (name, kind, default) = (name.to_string(), Kind::Float, None);
            interface.uniforms.push(Uniform { name, kind, columns: 1, rows, default, used: false });
            interface.uniforms.len() - 1
        });
        Op::Uniform(interface.scalar(Scalar::Uniform(n, component)))
    }

    fn input(&mut self, text: &str) -> Result<Op, Expected> {
        let (name, channel) = channel(text).ok_or("a channel of a varying")?;
        let varyings = &mut self.ir.interface.varyings;
        let known = varyings.iter().position(|one| one.name == name);
        let n = known.unwrap_or_else(|| {
            let (name, kind, temp) = (name.to_string(), Kind::Float, None);
            varyings.push(Varying { name, rows: 4, kind, temp });
            varyings.len() - 1
        });
        Ok(Op::Input(4 * n as u32 + u32::from(channel)))
    }

    fn node(&mut self, op: &str, operands: &[&str]) -> Result<Id, Expected> {
        let ids = operands.iter().filter(|operand| operand.starts_with('%'));
        let ids = ids.map(|operand| self.id(operand)).collect::<Result<Vec<Id>, _>>()?;
        let op = match (op, operands) {
            ("literal", [value]) => Op::Literal(literal(value).ok_or("a float")?),
            ("uniform", [name]) => self.uniform(name),
            ("input", [name]) => self.input(name)?,
            ("phi", [variable, "block", block]) => {
                let variable = self.variable(variable)?;
                let block = block.parse().map_err(|_| "a block's number")?;
                self.ir.flow.phis.push(Phi { variable, block });
                Op::Phi(self.ir.flow.phis.len() as u32 - 1)
            }
            ("array", [name]) => Op::Array(number(name, 'a').ok_or("an array, as `a0`")?),
            ("fetch", [input, ..]) => {
                let input = number(input, 'i').filter(|n| *n < 16).ok_or("an input, as `i0`")?;
                let samplers = &mut self.ir.interface.samplers;
                if samplers.iter().all(|sampler| sampler.input != input) {
                    samplers.push(Sampler { name: format!("i{input}"), input, used: true });
                }
                let has = |word| operands.contains(&word);
                Op::Fetch(Fetch { input, unscaled: has("unscaled"), projected: has("projected") })
            }
            ("texel", [letter, _]) => Op::Texel(letter_of(letter).ok_or("a channel")?),
            _ => return self.operation(op, &ids),
        };
        let count = match op {
            Op::Fetch(Fetch { projected, .. }) => 2 + usize::from(projected),
            Op::Texel(_) => 1,
            _ => 0,
        };
        if ids.len() != count {
            return Err("other operands");
        }
        if let Op::Texel(_) = op
            && !matches!(self.ir.graph.op(ids[0]), Op::Fetch(_))
        {
            return Err("a fetch");
        }
        Ok(self.ir.graph.intern(op, &ids))
    }

    fn operation(&mut self, name: &str, ids: &[Id]) -> Result<Id, Expected> {
        let graph = &mut self.ir.graph;
        match (name, ids) {
            ("not", &[a]) => return Ok(graph.not(a)),
            ("and", &[a, b]) => return Ok(graph.and(a, b)),
            ("or", &[a, b]) => return Ok(graph.or(a, b)),
            ("select", &[condition, a, b]) => return Ok(graph.select(condition, a, b)),
            _ => {}
        }
        let operations: &[Op] = match ids.len() {
            1 => &[
                Op::Neg,
                Op::Abs,
                Op::Frc,
                Op::Ex2,
                Op::Ln2,
                Op::Rcp,
                Op::Rsq,
                Op::Sin,
                Op::Cos,
                Op::Clamp,
                Op::Dx,
                Op::Dy,
            ],
            2 => &[Op::Add, Op::Mul, Op::Min, Op::Max],
            3 => &[Op::Cmp],
            6 => &[Op::Dot(3)],
            8 => &[Op::Dot(4)],
            _ => &[],
        };
        let op = operations.iter().find(|op| print::operation(**op) == name);
        let op = *op.ok_or("an operation with its operands")?;
        let ruled = if self.by_rules { op.apply(graph, ids) } else { None };
        Ok(ruled.unwrap_or_else(|| graph.intern(op, ids)))
    }

    /// The whole program, if its parts fit together.
    fn finish(mut self) -> Result<Ir, Expected> {
        let flow = &mut self.ir.flow;
        let mut open = Vec::new();
        for block in &flow.blocks {
            let nested = match block.end {
                Control::Next => true,
                Control::If(_) | Control::Loop(_) => {
                    open.push(block.end);
                    true
                }
                Control::Else | Control::EndIf => matches!(open.last(), Some(Control::If(_))),
                Control::Break(_) => open.iter().any(|one| matches!(one, Control::Loop(_))),
                Control::EndLoop => matches!(open.last(), Some(Control::Loop(_))),
            };
            if !nested {
                return Err("branches and loops that are nested");
            }
            if matches!(block.end, Control::EndIf | Control::EndLoop) {
                open.pop();
            }
        }
        let blocks = flow.blocks.len();
        if !open.is_empty() || flow.blocks.last().is_none_or(|last| last.end != Control::Next) {
            return Err("a last block after all branches and loops");
        }
        if flow.phis.iter().any(|phi| phi.block >= blocks) {
            return Err("phis of blocks that are there");
        }
        let inside = |array: &ConstantArray| (1..blocks).contains(&array.head);
        let last = (0..self.ir.graph.size() as Id).filter_map(|id| match self.ir.graph.op(id) {
            Op::Array(n) => Some(n as usize + 1),
            _ => None,
        });
        if !flow.arrays.iter().all(inside) || last.max().unwrap_or(0) > flow.arrays.len() {
            return Err("arrays of loops that are there");
        }
        // A variable is a vector of its own if it is in none.
        let mut alone = vec![true; flow.variables];
        flow.vectors.iter().flatten().for_each(|variable| alone[*variable] = false);
        flow.vectors.extend((0..flow.variables).filter(|n| alone[*n]).map(|n| vec![n]));
        self.ir.graph.settle();
        Ok(self.ir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let wrong = |text: &str| match read(text, Rules::All, false) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(wrong("%1 = input v.r\no0.r = %1"), "");
        assert_eq!(
            wrong("%1 = input v.r\no0.r = %2"),
            "line 2: \"o0.r = %2\": expected a node of a line before"
        );
        assert_eq!(
            wrong("%1 = input v"),
            "line 1: \"%1 = input v\": expected a channel of a varying"
        );
        assert_eq!(
            wrong("%1 = input v.r\n%2 = add %1"),
            "line 2: \"%2 = add %1\": expected an operation with its operands"
        );
        assert_eq!(
            wrong("block 0\n%1 = input v.r\nif %1\nblock 1"),
            "line 4: \"block 1\": expected a last block after all branches and loops"
        );
        assert_eq!(
            wrong("block 0\nendloop\nblock 1\no0.r = x"),
            "line 4: \"o0.r = x\": expected a node of a line before"
        );
        assert_eq!(
            wrong("block 0\nendloop\nblock 1"),
            "line 3: \"block 1\": expected branches and loops that are nested"
        );
        assert_eq!(
            wrong("%1 = phi v0 block 9"),
            "line 1: \"%1 = phi v0 block 9\": expected phis of blocks that are there"
        );
    }
}
