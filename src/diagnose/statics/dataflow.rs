//! What holds along all paths of a program.

use super::paths::{Node, Paths};
use crate::isa::Instruction;
use std::mem::{replace, take};

impl Paths {
    /// What holds before each node, from what holds at the start. `none` is what no path brings,
    /// `join` unites what two paths bring, and `step` is the effect of a node.
    pub fn forward<S: Clone + PartialEq>(
        &self,
        start: S,
        none: S,
        join: impl Fn(&mut S, &S),
        step: impl FnMut(&Node, &mut S),
    ) -> Vec<S> {
        let mut before = vec![none; self.nodes.len()];
        before[0] = start;
        let order = self.order.iter().copied();
        self.solve(before, order, |n| &self.nodes[n].next, join, step)
    }

    /// What holds after each node, from what holds at the ends of paths.
    pub fn backward<S: Clone + PartialEq>(
        &self,
        end: S,
        none: S,
        join: impl Fn(&mut S, &S),
        step: impl FnMut(&Node, &mut S),
    ) -> Vec<S> {
        let mut previous = vec![Vec::new(); self.nodes.len()];
        let mut after = Vec::with_capacity(self.nodes.len());
        for (n, node) in self.nodes.iter().enumerate() {
            node.next.iter().for_each(|&next| previous[next].push(n));
            after.push(if node.next.is_empty() { end.clone() } else { none.clone() });
        }
        let order = self.order.iter().rev().copied();
        self.solve(after, order, |n| &previous[n], join, step)
    }

    /// Carries states along until they stay. In this order a node comes after all that lead to it,
    /// except in loops, so that there are at most a few more sweeps than loops nest.
    fn solve<'a, S: Clone + PartialEq>(
        &self,
        mut states: Vec<S>,
        order: impl Iterator<Item = usize> + Clone,
        next: impl Fn(usize) -> &'a [usize],
        join: impl Fn(&mut S, &S),
        mut step: impl FnMut(&Node, &mut S),
    ) -> Vec<S> {
        let mut waits = vec![true; self.nodes.len()];
        let mut again = true;
        while take(&mut again) {
            for n in order.clone() {
                if !replace(&mut waits[n], false) {
                    continue;
                }
                let mut after = states[n].clone();
                step(&self.nodes[n], &mut after);
                for &next in next(n) {
                    let mut united = states[next].clone();
                    join(&mut united, &after);
                    if united != states[next] {
                        states[next] = united;
                        waits[next] = true;
                        again = true;
                    }
                }
            }
        }
        states
    }

    /// The instructions that the point runs on some path, each with what holds before it on all of
    /// these together.
    pub fn run<'a, S: Clone>(
        &self,
        instructions: &'a [Instruction],
        states: &[S],
        join: impl Fn(&mut S, &S),
    ) -> impl Iterator<Item = (u32, &'a Instruction, S)> {
        let mut all: Vec<Option<S>> = vec![None; instructions.len()];
        for (node, state) in self.nodes.iter().zip(states).filter(|(node, _)| node.active) {
            match &mut all[node.pc as usize] {
                Some(known) => join(known, state),
                unknown => *unknown = Some(state.clone()),
            }
        }
        let all = (0..).zip(instructions).zip(all);
        all.filter_map(|((pc, instruction), state)| Some((pc, instruction, state?)))
    }
}
