//! The meaning of the graph with its blocks, before and after code motion.

use super::flow::Way;
use super::{Constants, Inputs, Outcome, Stuck};
use crate::flow::{BlockId, Control};
use crate::graph::{Graph, Id, NONE, Op};
use crate::ir::Ir;
use crate::placement::{Placement, roots, strip_modifiers};
use ctm_isa::arithmetic::Operations;
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
    /// The machine as the program of a graph sets it.
    pub fn of(graph: &Graph) -> Machine {
        Machine { zero_times: graph.zero_times(), keeps_bits: graph.keeps_bits() }
    }

    fn choice(&self, bits: u32) -> u32 {
        if self.keeps_bits { bits } else { float::finish(bits, 0) }
    }
}

/// Functions of one number, in mode `exact`.
macro_rules! functions {
    ($($name:ident = $function:ident),+) => {
        $(fn $name(&mut self, a: u32) -> u32 {
            float::$function(a)
        })+
    };
}

impl Operations for Machine {
    type Value = u32;

    functions! {
        neg = neg, abs = abs, frc = frc, ex2 = ex2, ln2 = ln2, rcp = rcp, rsq = rsq, sin = sin, cos = cos,
        clamp = clamp01
    }

    fn number(&mut self, value: f32) -> u32 {
        value.to_bits()
    }
    fn add(&mut self, a: u32, b: u32) -> u32 {
        float::add(a, b)
    }
    fn mul(&mut self, a: u32, b: u32) -> u32 {
        float::mul(a, b, self.zero_times)
    }
    fn min(&mut self, a: u32, b: u32) -> u32 {
        self.choice(float::min(a, b))
    }
    fn max(&mut self, a: u32, b: u32) -> u32 {
        self.choice(float::max(a, b))
    }
    fn cmp(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.choice(float::cmp(a, b, c))
    }
    fn dot(&mut self, pairs: &[(u32, u32)]) -> u32 {
        let product = |(a, b): &(u32, u32)| float::mul(*a, *b, self.zero_times);
        float::sum(&pairs.iter().map(product).collect::<Vec<_>>())
    }
}

/// A point in its program.
struct Point<'a, N: Operations> {
    ir: &'a Ir,
    placement: Option<&'a Placement>,
    numbers: &'a mut N,
    decides: &'a mut dyn FnMut(N::Value) -> u32,
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

impl<N: Operations> Point<'_, N> {
    fn graph(&self) -> &Graph {
        &self.ir.graph
    }

    fn given(&mut self, bits: u32) -> N::Value {
        self.numbers.number(f32::from_bits(bits))
    }

    fn apply(&mut self, op: Op, operands: &[N::Value]) -> Result<N::Value, Stuck> {
        op.apply(self.numbers, operands).ok_or(Stuck::Node(op))
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
            return self.apply(self.ir.graph.op(id), &[operand]);
        }
        Ok(match self.graph().op(id) {
            Op::Literal(bits) => self.given(bits),
            Op::Uniform(n) => self.given(self.constants.inputs.scalars[n as usize]),
            Op::Input(n) => {
                let varying = self.constants.inputs.varyings[n as usize / 4];
                self.given(varying[n as usize % 4])
            }
            Op::Array(n) => {
                let element = self.constants.element(n);
                self.given(element)
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
        let mut operands = [self.given(0); 8];
        let count = node.args.iter().take_while(|id| **id != NONE).count();
        for (operand, id) in operands.iter_mut().zip(&node.args[..count]) {
            *operand = self.value(*id)?;
        }
        if let Op::Fetch(fetch) = node.op {
            let at = [0, 1, 2].map(|n| (self.decides)(operands[n]));
            let texels = (self.constants.inputs.fetch)(fetch, at);
            let texels = texels.map(|bits| self.given(bits));
            self.texels.insert(id, texels);
            return Ok(());
        }
        self.values[id as usize] = self.apply(node.op, &operands[..count])?;
        Ok(())
    }

    fn holds(&mut self, condition: Id) -> Result<bool, Stuck> {
        let test = self.graph().test(condition);
        let value = self.value(test.map_or(condition, |(tested, _)| tested))?;
        let bits = (self.decides)(value);
        let comparison = |comparison: Comparison| float::compare(comparison.code(), bits);
        Ok(match test {
            Some((_, not_below)) => comparison(Comparison::GreaterEqual) == not_below,
            None => comparison(Comparison::NotEqual),
        })
    }
}

/// The result of a program at a point. `decides`: the bits of a number that decides which way the point takes, or what it
/// fetches.
pub fn run<N: Operations>(
    ir: &Ir,
    placement: Option<&Placement>,
    numbers: &mut N,
    decides: &mut dyn FnMut(N::Value) -> u32,
    inputs: &Inputs<'_>,
) -> Result<Outcome<N::Value>, Stuck> {
    let unknown = numbers.number(f32::from_bits(UNKNOWN));
    let variables = placement.map_or(ir.flow.variables, |placement| 4 * placement.registers);
    let mut point = Point {
        ir,
        placement,
        numbers,
        decides,
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
