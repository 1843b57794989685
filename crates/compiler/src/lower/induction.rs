//! Induction variables of loops of the machine, and the trip counts that depend on them alone.

use super::loops::{MAX_COUNT, MAX_ITERATIONS};
use super::{PASS, Walker};
use ctm_codegen::evaluate::Machine;
use ctm_codegen::flow::{BlockId, Control, VariableId};
use ctm_codegen::graph::{Id, Op};
use ctm_isa::float;
use std::collections::HashMap;

/// The work of a number in an iteration.
const COUNT: usize = 10;

/// Comparisons with 0, as [`float::compare`] has them.
const BELOW: u32 = 1;
pub(super) const NOT_BELOW: u32 = 2;
pub(super) const NOT_ZERO: u32 = 3;

/// The variables of a loop, and how they change from one iteration to the next.
pub(super) struct InductionVariables {
    /// The first and the last block of the loop.
    head: BlockId,
    last: BlockId,
    /// The values of its variables before the loop.
    starts: HashMap<VariableId, Id>,
    /// The variables' updates in the loop body; `true` if the update is unconditional.
    steps: HashMap<VariableId, Vec<(bool, Id)>>,
}

impl InductionVariables {
    /// The update of a variable in an iteration that goes on, if it changes in one place.
    fn step(&self, variable: VariableId) -> Option<Id> {
        match self.steps.get(&variable)?.as_slice() {
            [(true, step)] => Some(*step),
            _ => None,
        }
    }
}

impl Walker<'_, '_> {
    /// The induction variables of a loop that has just ended.
    pub(super) fn induction_variables(
        &self,
        head: BlockId,
        variables: &[(usize, VariableId)],
    ) -> InductionVariables {
        let own = |variable: VariableId| variables.iter().any(|(_, own)| *own == variable);
        let last = self.flow.blocks.len() - 2;
        let (mut starts, mut steps) = (HashMap::new(), HashMap::new());
        for block in &self.flow.blocks[..head] {
            starts.extend(block.assignments.iter().copied().filter(|(variable, _)| own(*variable)));
        }
        for (n, [branches, loops]) in self.around(head, last) {
            let block = &self.flow.blocks[n];
            // Points that leave the loop have no next iteration.
            if loops == 0
                && matches!(block.end, Control::Break(condition) if self.graph.is(condition, 1.0))
            {
                continue;
            }
            let always = branches + loops == 0;
            for (variable, value) in block.assignments.iter().filter(|(variable, _)| own(*variable))
            {
                steps.entry(*variable).or_insert_with(Vec::new).push((always, *value));
            }
        }
        InductionVariables { head, last, starts, steps }
    }

    /// The blocks of a loop, from `head` to `last`, and how many branches and loops within it are around each.
    fn around(&self, head: BlockId, last: BlockId) -> Vec<(BlockId, [usize; 2])> {
        let mut around = [0, 0];
        let mut block = |n: BlockId| {
            let before = around;
            match self.flow.blocks[n].end {
                Control::If(_) => around[0] += 1,
                Control::EndIf => around[0] -= 1,
                Control::Loop(_) => around[1] += 1,
                Control::EndLoop if n < last => around[1] -= 1,
                Control::EndLoop | Control::Break(_) | Control::Next | Control::Else => {}
            }
            (n, before)
        };
        (head..=last).map(&mut block).collect()
    }

    /// The maximum number of iterations of a loop, if known; one more than [`MAX_ITERATIONS`] if there are more. A
    /// condition at its start that only counts becomes the count of the machine's loop.
    pub(super) fn trip_count(
        &mut self,
        induction: &InductionVariables,
        done: VariableId,
    ) -> Option<usize> {
        let InductionVariables { head, last, .. } = *induction;
        let after = |count: usize| count.saturating_add(1).min(MAX_ITERATIONS + 1);
        let (mut least, mut whole, mut top) = (None::<usize>, None::<usize>, None);
        for (n, around) in self.around(head, last) {
            let Control::Break(condition) = self.flow.blocks[n].end else { continue };
            if around != [0, 0] {
                continue;
            }
            let count = |(id, holds)| self.first_iteration(id, holds, induction);
            let all = count((condition, NOT_ZERO));
            let mut parts = Vec::new();
            if all.is_none() {
                self.implied((condition, NOT_ZERO), 8, &mut parts);
            }
            let known =
                parts.into_iter().filter_map(count).filter(|(count, _)| *count < usize::MAX);
            // Nothing precedes the condition in its iteration.
            let block = &self.flow.blocks[head];
            let first = n == head
                && block.assignments.iter().all(|(variable, _)| *variable == done)
                && block.kills.is_empty()
                && block.writes.is_empty();
            for (count, exact) in all.into_iter().chain(known) {
                least = least.into_iter().chain([count]).min();
                let runs = if first { count } else { after(count) };
                whole = whole.into_iter().chain(exact.then_some(runs)).min();
            }
            top = top.or(all.filter(|_| first).map(|(count, _)| count));
        }
        let counts = |count: &usize| (1..=MAX_COUNT).contains(count);
        if top.as_ref().is_some_and(counts) {
            self.flow.blocks[head].end = Control::Next;
        }
        // A loop that a counter ends at the latest is one loop of the machine. All engines and modes count whole numbers alike.
        if let Some(count) = top.filter(counts).or(whole.filter(counts)) {
            self.flow.blocks[head - 1].end = Control::Loop(count as u8);
        }
        top.into_iter().chain(least.map(after)).min()
    }

    /// Comparisons of numbers with 0, each of which implies the given one.
    fn implied(&self, (id, holds): (Id, u32), depth: u32, parts: &mut Vec<(Id, u32)>) {
        let [a, b, c, ..] = self.graph.node(id).args;
        let holds_for = |id| self.graph.bits(id).is_some_and(|bits| float::compare(holds, bits));
        match self.graph.op(id) {
            Op::Literal(_) => {}
            Op::Cmp if depth > 0 && holds_for(a) => {
                self.implied((c, NOT_BELOW), depth - 1, parts);
                self.implied((b, holds), depth - 1, parts);
            }
            Op::Cmp if depth > 0 && holds_for(b) => {
                self.implied((c, BELOW), depth - 1, parts);
                self.implied((a, holds), depth - 1, parts);
            }
            Op::Max if depth > 0 && holds == NOT_ZERO => {
                self.implied((a, holds), depth - 1, parts);
                self.implied((b, holds), depth - 1, parts);
            }
            _ => parts.push((id, holds)),
        }
    }

    /// The iteration, from 0, in which a comparison of a number with 0 first holds, if it depends on counters only, and
    /// whether these are whole numbers until then. [`usize::MAX`]: no iteration that the machine reaches.
    pub(super) fn first_iteration(
        &self,
        condition: Id,
        holds: u32,
        induction: &InductionVariables,
    ) -> Option<(usize, bool)> {
        let mut values = self.start(&[condition], induction)?;
        let mut whole = true;
        for iteration in 0..=MAX_ITERATIONS {
            self.setting.work.note(COUNT * (1 + values.len()));
            self.setting.work.check(PASS).ok()?;
            if float::compare(holds, self.known(condition, &values)?) {
                return Some((iteration, whole));
            }
            self.advance(&mut values, induction)?;
            whole &= values.values().all(|bits| f32::from_bits(*bits).fract() == 0.0);
        }
        Some((usize::MAX, whole))
    }

    /// The values of numbers in each iteration, if they depend on counters only.
    pub(super) fn iterate(
        &self,
        ids: &[Id],
        induction: &InductionVariables,
        iterations: usize,
    ) -> Option<Vec<Vec<u32>>> {
        let mut values = self.start(ids, induction)?;
        let mut all = Vec::new();
        for _ in 0..iterations {
            self.setting.work.note(COUNT * (1 + values.len()));
            all.push(ids.iter().map(|id| self.known(*id, &values)).collect::<Option<_>>()?);
            self.advance(&mut values, induction)?;
        }
        Some(all)
    }

    /// The phis of variables at the start of an iteration that numbers depend on; `None` if they
    /// depend on anything else.
    pub(super) fn induction_phis(&self, ids: &[Id], head: BlockId) -> Option<Vec<u32>> {
        let mut found: Vec<u32> = Vec::new();
        let mut open = ids.to_vec();
        let mut seen = 0;
        while let Some(id) = open.pop() {
            seen += 1;
            if seen > 200 {
                return None;
            }
            match self.graph.op(id) {
                Op::Phi(n) if self.flow.phis[n as usize].block != head => return None,
                Op::Phi(n) => found.extend(Some(n).filter(|n| !found.contains(n))),
                Op::Literal(_) | Op::Neg | Op::Abs | Op::Add | Op::Mul => {}
                Op::Min | Op::Max | Op::Cmp | Op::Frc => {}
                _ => return None,
            }
            open.extend(self.graph.node(id).operands());
        }
        Some(found)
    }

    /// The bits of the phis that numbers depend on, and of those that they depend on, in the first iteration.
    fn start(&self, ids: &[Id], induction: &InductionVariables) -> Option<HashMap<u32, u32>> {
        let mut values: HashMap<u32, u32> = HashMap::new();
        let mut open = self.induction_phis(ids, induction.head)?;
        while let Some(n) = open.pop() {
            if values.contains_key(&n) {
                continue;
            }
            let variable = self.flow.phis[n as usize].variable;
            values.insert(n, self.graph.bits(*induction.starts.get(&variable)?)?);
            open.extend(self.induction_phis(&[induction.step(variable)?], induction.head)?);
        }
        Some(values)
    }

    /// The bits of phis in the next iteration.
    fn advance(
        &self,
        values: &mut HashMap<u32, u32>,
        induction: &InductionVariables,
    ) -> Option<()> {
        let next = values.keys().map(|n| {
            let variable = self.flow.phis[*n as usize].variable;
            Some((*n, self.known(induction.step(variable)?, values)?))
        });
        let next: Option<Vec<(u32, u32)>> = next.collect();
        values.extend(next?);
        Some(())
    }

    /// The bits of a node whose phis have these values.
    fn known(&self, id: Id, values: &HashMap<u32, u32>) -> Option<u32> {
        let node = self.graph.node(id);
        match node.op {
            Op::Literal(bits) => Some(bits),
            Op::Phi(n) => values.get(&n).copied(),
            op => {
                let mut operands = [0; 8];
                for (operand, id) in operands.iter_mut().zip(node.operands()) {
                    *operand = self.known(id, values)?;
                }
                let count = node.operands().count();
                op.apply(&mut Machine::of(&self.graph), &operands[..count])
            }
        }
    }
}
