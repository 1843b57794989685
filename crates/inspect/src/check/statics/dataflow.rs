//! Dataflow along all paths of a program.

use super::Subject;
use super::paths::{MOST_NODES, Node, Paths};
use ctm_isa::isa::Instruction;
use ctm_machine::engine::{Stop, Stopped};
use std::collections::BTreeSet;

/// The most visits of nodes. Programs of compilers and authors need a few for each node; loops of jumps
/// that are nested in each other a hundred times need more.
pub(super) const MOST_VISITS: u64 = 16 * MOST_NODES as u64;

/// Visits of nodes between two looks at the stop.
const LOOK: u64 = 256;

/// The state at a node.
pub(super) trait State: Clone + PartialEq {
    /// Adds what another path brings.
    fn join(&mut self, other: &Self);
}

impl Paths {
    /// The state before each node, from the state at the start. `none` is what no path brings, and
    /// `step` is the effect of a node.
    ///
    /// # Errors
    /// It was stopped.
    pub fn forward<S: State>(
        &self,
        start: S,
        none: S,
        step: impl FnMut(&Node, &mut S),
        stop: &Stop,
    ) -> Result<Vec<S>, Stopped> {
        let mut before = vec![none; self.nodes.len()];
        before[0] = start;
        self.solve(before, &self.order, |n| &self.nodes[n].next, step, stop)
    }

    /// The state after each node, from the state at the ends of paths.
    ///
    /// # Errors
    /// It was stopped.
    pub fn backward<S: State>(
        &self,
        end: S,
        none: S,
        step: impl FnMut(&Node, &mut S),
        stop: &Stop,
    ) -> Result<Vec<S>, Stopped> {
        let mut previous = vec![Vec::new(); self.nodes.len()];
        let mut after = Vec::with_capacity(self.nodes.len());
        for (n, node) in self.nodes.iter().enumerate() {
            node.next.iter().for_each(|&next| previous[next].push(n));
            after.push(if node.next.is_empty() { end.clone() } else { none.clone() });
        }
        let order: Vec<usize> = self.order.iter().rev().copied().collect();
        self.solve(after, &order, |n| &previous[n], step, stop)
    }

    /// Carries states along until they stay: through the nodes whose state has changed, in the order,
    /// then against it, and so on. Without loops the first sweep is enough. A loop or a chain of jumps
    /// back needs a few sweeps more. Where paths turn often, it gives up after [`MOST_VISITS`]: then the
    /// states lack what some paths bring.
    fn solve<'a, S: State>(
        &self,
        mut states: Vec<S>,
        order: &[usize],
        next: impl Fn(usize) -> &'a [usize],
        mut step: impl FnMut(&Node, &mut S),
        stop: &Stop,
    ) -> Result<Vec<S>, Stopped> {
        let mut places = vec![0; self.nodes.len()];
        order.iter().enumerate().for_each(|(place, &n)| places[n] = place);
        let mut waiting: BTreeSet<usize> = (0..order.len()).collect();
        let (mut place, mut ahead, mut visits) = (0, true, 0u64);
        while !waiting.is_empty() {
            let found = if ahead {
                waiting.range(place..).next()
            } else {
                waiting.range(..=place).next_back()
            };
            let Some(&found) = found else {
                ahead = !ahead;
                continue;
            };
            place = found;
            waiting.remove(&place);
            if visits.is_multiple_of(LOOK) {
                stop.check()?;
            }
            if visits == MOST_VISITS {
                self.gave_up.set(true);
                break;
            }
            visits += 1;
            let n = order[place];
            let mut after = states[n].clone();
            step(&self.nodes[n], &mut after);
            for &next in next(n) {
                let mut united = states[next].clone();
                united.join(&after);
                if united != states[next] {
                    states[next] = united;
                    waiting.insert(places[next]);
                }
            }
        }
        Ok(states)
    }
}

impl<'a> Subject<'a> {
    /// The instructions that the point runs on some path, each with what holds before it on all of
    /// these together. `step` is the effect of an instruction on a path, and `active` whether the
    /// point runs it.
    pub(super) fn before<S: State>(
        &self,
        start: S,
        none: S,
        mut step: impl FnMut(u32, &Instruction, bool, &mut S),
    ) -> Result<Vec<(u32, &'a Instruction, S)>, Stopped> {
        let instructions = self.program.instructions();
        let step = |node: &Node, state: &mut S| {
            step(node.pc, &instructions[node.pc as usize], node.active, state);
        };
        let states = self.paths.forward(start, none, step, self.stop)?;
        let mut all: Vec<Option<S>> = vec![None; instructions.len()];
        for (node, state) in self.paths.nodes.iter().zip(states).filter(|(node, _)| node.active) {
            match &mut all[node.pc as usize] {
                Some(known) => known.join(&state),
                unknown => *unknown = Some(state),
            }
        }
        let all = (0..).zip(instructions).zip(all);
        Ok(all.filter_map(|((pc, instruction), state)| Some((pc, instruction, state?))).collect())
    }
}
