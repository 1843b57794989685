//! Loops of the machine.

use super::branches::{LoopVariables, Region};
use super::changes::{Slots, VariablePart};
use super::flow::Leaves;
use super::induction::NOT_ZERO;
use super::{Frame, Refused, Walker};
use ctm_codegen::flow::{Block, Control};
use ctm_codegen::graph::Id;
use naga::{Expression, Handle};

/// Most iterations of a loop of the machine.
pub(super) const MAX_COUNT: usize = 255;

/// Most iterations of two loops.
pub(super) const MAX_ITERATIONS: usize = MAX_COUNT * MAX_COUNT;

/// The statements of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopParts<'m> {
    pub body: &'m naga::Block,
    pub continuing: &'m naga::Block,
    pub break_if: Option<Handle<Expression>>,
}

/// The plan for walking a loop of the machine.
#[derive(Clone, Copy)]
struct Plan {
    /// It reads constant arrays.
    arrays: bool,
    /// The iterations of the source in one of the machine's; `None` if that is not decided.
    copies: Option<usize>,
}

impl<'m> Walker<'m, '_> {
    /// One iteration of the source.
    fn iteration(
        &mut self,
        frame: &mut Frame<'m>,
        parts: LoopParts<'m>,
        scope: usize,
    ) -> Result<(), Refused> {
        if self.dead {
            return Ok(());
        }
        self.enter(Leaves::Iteration);
        self.block(frame, parts.body)?;
        self.leave();
        self.flush();
        if !self.dead {
            self.block(frame, parts.continuing)?;
            if let Some(condition) = parts.break_if {
                let condition = self.scalar_of(frame, condition)?;
                self.leave_if(condition, scope)?;
                self.flush();
            }
        }
        Ok(())
    }

    /// A loop of the machine.
    pub(super) fn structured_loop(
        &mut self,
        frame: &mut Frame<'m>,
        parts: LoopParts<'m>,
    ) -> Result<(), Refused> {
        let mut plan = Plan { arrays: self.setting.limits.arrays, copies: None };
        loop {
            let state = self.save();
            let Some(other) = self.structured_loop_by(frame, parts, plan)? else { return Ok(()) };
            self.roll_back(state);
            plan = other;
        }
    }

    /// A loop of the machine. Returns a plan that it should be walked with instead.
    fn structured_loop_by(
        &mut self,
        frame: &mut Frame<'m>,
        parts: LoopParts<'m>,
        plan: Plan,
    ) -> Result<Option<Plan>, Refused> {
        let here = self.here();
        if !self.graph.is(here, 1.0) {
            // Points that have left do not enter.
            let frame = std::cell::RefCell::new(frame);
            self.structured_branch(
                here,
                &mut |walker| walker.structured_loop(&mut frame.borrow_mut(), parts),
                &mut |_| Ok(()),
            )?;
            return Ok(None);
        }
        let (span, at) = (self.span, self.graph.origin);
        let mut slots = Slots::default();
        for block in [parts.body, parts.continuing] {
            self.changes(frame, block, &mut slots)?;
        }
        let zero = self.graph.number(0.0);
        let size = self.memory.len();
        if slots.returns {
            let result = frame.function.result.as_ref();
            let count = result.map_or(Ok(0), |result| self.size_of(result.ty))?;
            slots.add(VariablePart::whole(frame.result, count));
        }
        let mut vectors = slots.vectors();
        let mut flag = |walker: &mut Self| {
            let slot = walker.reserve(&[zero]);
            vectors.push(vec![slot]);
            slot
        };
        let outside = slots.returns.then(|| flag(self));
        let done = flag(self);
        let variables = self.new_variables(&vectors);
        let paths = self.paths();
        self.clear_paths();
        for (slot, variable) in &variables {
            self.assign(self.flow.blocks.len() - 1, *slot, *variable, self.memory[*slot]);
        }
        // Two loops, for up to 65,025 iterations; one, if that is enough.
        let outer = self.here_now();
        self.end(Control::Loop(MAX_COUNT as u8));
        self.end(Control::Loop(MAX_COUNT as u8));
        let head = self.here_now();
        let before = self.memory.clone();
        for (slot, variable) in &variables {
            self.memory[*slot] = self.phi(*variable);
        }
        self.note_joins(&before, at);
        let content = variables.iter().map(|(slot, _)| Some(self.memory[*slot])).collect();
        let floor = self.scopes.len() + 1;
        let start = self.exits.len();
        let indexed = plan.arrays.then_some(head);
        let (passes, passed) = (false, Vec::new());
        let variables_of = LoopVariables {
            slots: variables.clone(),
            content,
            outside,
            done,
            indexed,
            passes,
            passed,
        };
        self.regions.push(Region { floor, exits: start, variables: Some(variables_of) });
        self.enter(Leaves::Loop);
        let scope = self.scopes.len() - 1;
        let written = self.graph.asked.written.len();
        for copy in 0..plan.copies.unwrap_or(1) {
            if let Some(variables) =
                self.regions.last_mut().and_then(|region| region.variables.as_mut())
            {
                variables.passes = copy > 0;
            }
            self.iteration(frame, parts, scope)?;
        }
        let operations = self.graph.asked.written.len() - written;
        let held = self.regions.pop().and_then(|region| region.variables);
        let passed = held.as_ref().map_or(Vec::new(), |held| held.passed.clone());
        if let (Some(held), false) = (held, self.dead) {
            for ((slot, variable), content) in held.slots.iter().zip(&held.content) {
                if Some(self.memory[*slot]) != *content {
                    self.assign(self.flow.blocks.len() - 1, *slot, *variable, self.memory[*slot]);
                }
            }
        }
        let breaks = self.flow.blocks[head..]
            .iter()
            .filter(|block| matches!(block.end, Control::Break(_)))
            .count();
        if breaks == 0 && !self.dead {
            return Err(span.error("this loop never ends").into());
        }
        if breaks == 0 {
            // Every point ends in the first iteration.
            let one = self.graph.number(1.0);
            self.end_at(Control::Break(one), at);
        }
        self.end_at(Control::EndLoop, at);
        self.scopes.truncate(scope);
        self.exits.truncate(start);
        self.dead = false;
        // The flag is the last of the slots.
        let done = variables.last().map_or(0, |(_, variable)| *variable);
        let induction = self.induction_variables(head, &variables);
        let bound = self.trip_count(&induction, done);
        // aL counts in one loop only.
        let iterations = bound.filter(|bound| *bound <= MAX_COUNT);
        if plan.arrays && !self.fill_arrays(head, &induction, iterations) {
            return Ok(Some(Plan { arrays: false, ..plan }));
        }
        let last = self.flow.blocks.len() - 2;
        let plain = |block: &Block| block.end == Control::Next && block.writes.is_empty();
        let plain = self.flow.blocks[head..last].iter().all(plain);
        match (iterations.filter(|_| plain), plan.copies) {
            (Some(count), None) => {
                let limit = self.setting.limits.unroll;
                let fits = |n: &usize| count % n == 0 && count > *n && operations * n <= limit;
                if let Some(copies) = [8, 4, 2].into_iter().find(fits) {
                    return Ok(Some(Plan { copies: Some(copies), ..plan }));
                }
            }
            (count, Some(copies)) if copies > 1 => {
                let never = |condition: &Id| {
                    let first = self.first_iteration(*condition, NOT_ZERO, &induction);
                    first.is_some_and(|(first, _)| count.is_some_and(|count| first >= count))
                };
                if passed.len() + 1 != copies || !passed.iter().all(never) {
                    return Ok(Some(Plan { copies: Some(1), ..plan }));
                }
            }
            _ => {}
        }
        if iterations.is_some() {
            self.flow.blocks[outer].end = Control::Next;
        } else {
            if bound.is_none_or(|bound| bound > MAX_ITERATIONS) {
                if bound.is_some() && breaks == 1 {
                    let error = span.error("this loop runs more often than the machine counts");
                    return Err(error.label("more than 65,025 times").into());
                }
                self.span = span;
                self.note("the machine ends a loop after 65,025 iterations");
            }
            let left = self.phi(done);
            self.end_at(Control::Break(left), at);
            self.end_at(Control::EndLoop, at);
        }
        for (slot, variable) in &variables {
            self.memory[*slot] = self.phi(*variable);
        }
        self.set_paths(&paths);
        let outside = outside.map(|slot| self.memory[slot]);
        self.memory.truncate(size);
        if let Some(flag) = outside {
            self.leave_if(flag, frame.scope)?;
        }
        Ok(None)
    }
}
