//! The meaning of the graph with its blocks, before and after code motion.

use super::flow::Way;
use super::{Constants, Inputs, Numbers, Outcome, Stuck};
use crate::flow::{BlockId, Control};
use crate::graph::{Graph, Id, NONE, Op};
use crate::ir::Ir;
use crate::placement::{Placement, roots, strip_modifiers};
use ctm_isa::float;
use ctm_isa::isa::{Comparison, FieldValue};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The bits of what nothing has assigned: a NaN.
pub const UNKNOWN: u32 = 0x7fa5_a5a5;

/// The machine's numbers: their bits.
pub struct Machine {
    zero_times: bool,
    /// A choice keeps all bits of its operand.
    keeps_bits: bool,
}

impl Machine {
    /// The machine as a program sets it.
    pub fn of(ir: &Ir) -> Machine {
        Machine { zero_times: ir.graph.zero_times(), keeps_bits: ir.graph.keeps_bits() }
    }

    fn choice(&self, bits: u32) -> u32 {
        if self.keeps_bits { bits } else { float::finish(bits, 0) }
    }
}

impl Numbers for Machine {
    type Value = u32;

    fn given(&mut self, bits: u32) -> u32 {
        bits
    }

    fn decides(&mut self, value: u32) -> u32 {
        value
    }

    fn apply(&mut self, op: Op, operands: &[u32]) -> Result<u32, Stuck> {
        let at = |n: usize| operands.get(n).copied().unwrap_or(0);
        let (a, b, c) = (at(0), at(1), at(2));
        Ok(match op {
            Op::Neg => float::neg(a),
            Op::Abs => float::abs(a),
            Op::Add => float::add(a, b),
            Op::Mul => float::mul(a, b, self.zero_times),
            Op::Min => self.choice(float::min(a, b)),
            Op::Max => self.choice(float::max(a, b)),
            Op::Cmp => self.choice(float::cmp(a, b, c)),
            Op::Frc => float::frc(a),
            Op::Ex2 => float::ex2(a),
            Op::Ln2 => float::ln2(a),
            Op::Rcp => float::rcp(a),
            Op::Rsq => float::rsq(a),
            Op::Sin => float::sin(a),
            Op::Cos => float::cos(a),
            Op::Clamp => float::clamp01(a),
            Op::Dot(3) => {
                let [a, b] = [0, 1].map(|side| [0, 1, 2].map(|n| at(2 * n + side)));
                float::dp3(a, b, self.zero_times)
            }
            Op::Dot(_) => {
                let [a, b] = [0, 1].map(|side| [0, 1, 2, 3].map(|n| at(2 * n + side)));
                float::dp4(a, b, self.zero_times)
            }
            Op::Dx | Op::Dy => return Err(Stuck::Node(op)),
            Op::Literal(_) | Op::Uniform(_) | Op::Input(_) | Op::Phi(_) | Op::Array(_) => {
                return Err(Stuck::Node(op));
            }
            Op::Fetch(_) | Op::Texel(_) => return Err(Stuck::Node(op)),
        })
    }
}

/// A point in its program.
struct Point<'a, N: Numbers> {
    ir: &'a Ir,
    placement: Option<&'a Placement>,
    numbers: &'a mut N,
    constants: Constants<'a>,
    /// By node, its value; of a fetch in `texels`.
    values: Vec<N::Value>,
    texels: FxHashMap<Id, [N::Value; 4]>,
    /// By variable, its value; after code motion by register and channel.
    variables: Vec<N::Value>,
    /// By phi, its value; after code motion only of those that are copied.
    phis: Vec<N::Value>,
}

/// The nodes that each block computes, in order: those that its roots need, or those that code motion put there.
fn computed(ir: &Ir, placement: Option<&Placement>) -> Vec<Vec<Id>> {
    let graph = &ir.graph;
    let alone = |id: &Id| {
        let op = graph.op(*id);
        op.computes() && !matches!(op, Op::Neg | Op::Abs) || matches!(op, Op::Texel(_))
    };
    let blocks = 0..ir.flow.blocks.len();
    if let Some(placement) = placement {
        let here = |block| move |id: &Id| placement.block[*id as usize] == block;
        let all = |block| (0..graph.size() as Id).filter(here(block)).filter(alone).collect();
        return blocks.map(all).collect();
    }
    let assignments: Vec<_> =
        ir.flow.blocks.iter().map(|block| block.assignments.clone()).collect();
    let needed = |block: BlockId| {
        let mut needed = vec![false; graph.size()];
        let mut open: Vec<Id> = roots(ir, &assignments, block).collect();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut needed[id as usize], true) {
                open.extend(graph.node(id).operands());
            }
        }
        (0..graph.size() as Id).filter(|id| needed[*id as usize]).filter(alone).collect()
    };
    blocks.map(needed).collect()
}

impl<N: Numbers> Point<'_, N> {
    fn graph(&self) -> &Graph {
        &self.ir.graph
    }

    /// The register and channel of a variable after code motion, else the variable.
    fn place(&self, variable: usize) -> usize {
        self.placement.map_or(variable, |placement| {
            let (register, channel) = placement.places[variable];
            4 * usize::from(register) + usize::from(channel)
        })
    }

    /// The value of a phi where it is read.
    fn phi(&self, n: usize) -> N::Value {
        match self.placement {
            Some(placement) if !placement.copied[n] => {
                self.variables[self.place(placement.variable[n])]
            }
            Some(_) | None => self.phis[n],
        }
    }

    fn value(&mut self, id: Id) -> Result<N::Value, Stuck> {
        let base = strip_modifiers(self.graph(), id);
        if base != id {
            let operand = self.value(self.graph().arg(id, 0))?;
            return self.numbers.apply(self.ir.graph.op(id), &[operand]);
        }
        Ok(match self.graph().op(id) {
            Op::Literal(bits) => self.numbers.given(bits),
            Op::Uniform(n) => self.numbers.given(self.constants.inputs.scalars[n as usize]),
            Op::Input(n) => {
                let varying = self.constants.inputs.varyings[n as usize / 4];
                self.numbers.given(varying[n as usize % 4])
            }
            Op::Array(n) => {
                let element = self.constants.element(n);
                self.numbers.given(element)
            }
            Op::Phi(n) => self.phi(n as usize),
            _ => self.values[id as usize],
        })
    }

    fn compute(&mut self, id: Id) -> Result<(), Stuck> {
        let node = self.graph().node(id);
        if let Op::Texel(channel) = node.op {
            if let Some(texels) = self.texels.get(&node.args[0]) {
                self.values[id as usize] = texels[usize::from(channel)];
            }
            return Ok(());
        }
        let mut operands = [self.numbers.given(0); 8];
        let count = node.args.iter().take_while(|id| **id != NONE).count();
        for (operand, id) in operands.iter_mut().zip(&node.args[..count]) {
            *operand = self.value(*id)?;
        }
        if let Op::Fetch(fetch) = node.op {
            let at = [0, 1, 2].map(|n| self.numbers.decides(operands[n]));
            let texels = (self.constants.inputs.fetch)(fetch, at);
            let texels = texels.map(|bits| self.numbers.given(bits));
            self.texels.insert(id, texels);
            return Ok(());
        }
        self.values[id as usize] = self.numbers.apply(node.op, &operands[..count])?;
        Ok(())
    }

    fn holds(&mut self, condition: Id) -> Result<bool, Stuck> {
        let test = self.graph().test(condition);
        let value = self.value(test.map_or(condition, |(tested, _)| tested))?;
        let bits = self.numbers.decides(value);
        let comparison = |comparison: Comparison| float::compare(comparison.code(), bits);
        Ok(match test {
            Some((_, not_below)) => comparison(Comparison::GreaterEqual) == not_below,
            None => comparison(Comparison::NotEqual),
        })
    }
}

/// The result of a program at a point.
pub fn run<N: Numbers>(
    ir: &Ir,
    placement: Option<&Placement>,
    numbers: &mut N,
    inputs: &Inputs<'_>,
) -> Result<Outcome<N::Value>, Stuck> {
    let unknown = numbers.given(UNKNOWN);
    let variables = placement.map_or(ir.flow.variables, |placement| 4 * placement.registers);
    let mut point = Point {
        ir,
        placement,
        numbers,
        constants: Constants::of(ir, inputs),
        values: vec![unknown; ir.graph.size()],
        texels: FxHashMap::default(),
        variables: vec![unknown; variables],
        phis: vec![unknown; ir.flow.phis.len()],
    };
    let computed = computed(ir, placement);
    let controls: Vec<Control> = ir.flow.blocks.iter().map(|block| block.end).collect();
    let mut way = Way::of(&controls);
    let mut n = 0;
    while let Some(block) = ir.flow.blocks.get(n) {
        point.constants.iterations[n] = way.iteration();
        for (phi, of) in ir.flow.phis.iter().enumerate().filter(|(_, phi)| phi.block == n) {
            let variable = match placement {
                Some(placement) if placement.copied[phi] => placement.variable[phi],
                Some(_) => continue,
                None => of.variable,
            };
            point.phis[phi] = point.variables[point.place(variable)];
        }
        for id in &computed[n] {
            point.compute(*id)?;
        }
        for (kill, _) in &block.kills {
            if point.holds(*kill)? {
                return Ok(Outcome::killed());
            }
        }
        let holds = block.end.condition().map_or(Ok(false), |condition| point.holds(condition))?;
        let assignments =
            placement.map_or(&block.assignments, |placement| &placement.assignments[n]);
        let mut assigned = Vec::new();
        for (variable, id) in assignments {
            assigned.push((point.place(*variable), point.value(*id)?));
        }
        for (place, value) in assigned {
            point.variables[place] = value;
        }
        n = way.next(n, holds)?;
    }
    let mut outputs = BTreeMap::new();
    for output in &ir.outputs {
        outputs.insert((output.slot, output.channel), point.value(output.value)?);
    }
    Ok(Outcome::of(outputs))
}
