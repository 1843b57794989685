//! Statements: branches, loops, calls, exits.

use super::branches::{Exit, Side};
use super::loops::LoopParts;
use super::variables::Key;
use super::{AND, Frame, MAX_DEPTH, MAX_ITERATIONS, Refused, Value, Walker};
use crate::front::last_offset;
use ctm_codegen::graph::Id;
use naga::{Block, Function, Handle, Statement, SwitchCase, SwitchValue};

/// A scope that an exit can leave: a call, a loop, an iteration, a switch.
pub(super) struct Scope {
    kind: Leaves,
    /// The condition that a point of the scope's start is still here. Exits of the scope do not count: their memories are
    /// joined in order.
    pub(super) path: Id,
    /// The paths of the scopes outside, and the number of exits, when it was entered.
    outside: (Vec<Id>, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    Call,
    Loop,
    Iteration,
    Switch,
}

impl<'m, 'a> Walker<'m, 'a> {
    /// Calls a function.
    pub(super) fn call(
        &mut self,
        handle: Option<Handle<Function>>,
        function: &'m Function,
        arguments: Vec<Value>,
    ) -> Result<Vec<Id>, Refused> {
        if let Some(handle) = handle {
            if self.calls.contains(&handle) {
                let name = function.name.as_deref().unwrap_or("_");
                return self.refuse(format!("the function `{name}` calls itself"));
            }
            self.calls.push(handle);
        }
        let typifier = self.typifier(handle, function)?;
        let base = self.memory.len();
        let zero = self.graph.number(0.0);
        let size = match &function.result {
            Some(result) => self.size_of(result.ty)?,
            None => 0,
        };
        let result = self.reserve(&vec![zero; size]);
        let mut frame = Frame {
            function,
            typifier,
            arguments,
            locals: Vec::new(),
            values: vec![None; function.expressions.len()],
            result,
            scope: self.scopes.len(),
        };
        for (local, variable) in function.local_variables.iter() {
            let size = self.size_of(variable.ty)?;
            let slot = self.reserve(&vec![zero; size]);
            frame.locals.push(slot);
            if let Some(name) = &variable.name {
                let key = Key::Local(handle, local);
                let span = function.local_variables.get_span(local);
                let of = function.name.as_deref().unwrap_or("main");
                let ty = &self.module.types[variable.ty].inner;
                self.declare(key, name, of, ty, span, slot..slot + size);
            }
        }
        for (n, (handle, variable)) in function.local_variables.iter().enumerate() {
            if let Some(init) = variable.init {
                self.locate(function.local_variables.get_span(handle));
                let value = self.scalars_of(&mut frame, init)?;
                if value.len() != self.size_of(variable.ty)? {
                    return self.refuse("expected a value of the variable's type");
                }
                self.store_at(frame.locals[n], &value);
            }
        }
        for handle in function.named_expressions.keys() {
            if function.expressions[*handle].needs_pre_emit() {
                let value = self.value(&mut frame, *handle)?;
                self.note_named(&frame, *handle, &value);
            }
        }
        self.enter(Leaves::Call);
        self.block(&mut frame, &function.body)?;
        self.leave();
        if handle.is_some() {
            self.calls.pop();
        }
        let value = self.memory[result..result + size].to_vec();
        self.memory.truncate(base);
        // A call whose paths all end with discard ends the caller's, too.
        Ok(value)
    }

    pub(super) fn enter(&mut self, kind: Leaves) {
        let path = self.graph.number(1.0);
        let outside = (self.paths(), self.exits.len());
        self.scopes.push(Scope { kind, path, outside });
    }

    /// Joins the exits of the innermost scope with what runs.
    pub(super) fn leave(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        let depth = self.scopes.len();
        let (own, others): (Vec<Exit>, _) =
            std::mem::take(&mut self.exits).into_iter().partition(|exit| exit.target >= depth);
        self.exits = others;
        let (paths, exits) = scope.outside;
        self.restore(&paths, exits);
        for exit in own.into_iter().rev() {
            if self.dead {
                self.memory = exit.memory;
                self.dead = false;
            } else {
                self.join(exit.condition, &exit.memory, exit.origin);
            }
        }
    }

    /// Memory becomes `condition ? other : memory`. `origin`: the source position of the statement that chooses.
    pub(super) fn join(&mut self, condition: Id, other: &[Id], origin: u32) {
        let last = std::mem::replace(&mut self.graph.origin, origin);
        let mut run: Vec<Id> = Vec::new();
        self.setting.work.note(other.len());
        for (n, new) in other.iter().copied().enumerate().take(self.memory.len()) {
            let old = self.memory[n];
            if old != new {
                let id = self.graph.select(condition, new, old);
                self.memory[n] = id;
                run.push(id);
            } else {
                self.graph.vector(&run);
                run.clear();
            }
        }
        self.graph.vector(&run);
        self.graph.origin = last;
    }

    /// Leaves a scope.
    pub(super) fn exit(&mut self, target: usize) {
        let condition = self.scopes[target].path;
        let memory = self.memory.clone();
        self.setting.work.note(memory.len());
        let origin = self.graph.origin;
        self.exits.push(Exit { target, condition, memory, origin });
        self.dead = true;
    }

    pub(super) fn paths(&self) -> Vec<Id> {
        self.scopes.iter().map(|scope| scope.path).collect()
    }

    pub(super) fn set_paths(&mut self, paths: &[Id]) {
        for (scope, path) in self.scopes.iter_mut().zip(paths) {
            scope.path = *path;
        }
    }

    /// Sets the paths: the given ones, without the exits since.
    pub(super) fn restore(&mut self, paths: &[Id], exits: usize) {
        self.set_paths(paths);
        for n in exits..self.exits.len() {
            let Exit { target, condition, .. } = self.exits[n];
            let not = self.graph.not(condition);
            self.narrow(target, not);
        }
    }

    /// The condition that a point is here, relative to the start of the enclosing branch or loop of the machine.
    pub(super) fn path(&mut self) -> Id {
        let mut condition =
            self.scopes.first().map_or_else(|| self.graph.number(1.0), |scope| scope.path);
        // Exits of the outermost scope are not part of its path.
        let start = self.regions.last().map_or(0, |region| region.exits);
        self.setting.work.note(AND * (self.exits.len() - start));
        for n in start..self.exits.len() {
            if self.exits[n].target == 0 {
                let not = self.graph.not(self.exits[n].condition);
                condition = self.graph.and(condition, not);
            }
        }
        condition
    }

    /// Narrows the paths of the scopes before one.
    fn narrow(&mut self, end: usize, condition: Id) {
        let end = end.min(self.scopes.len());
        self.setting.work.note(AND * (1 + end));
        for scope in 0..end {
            let path = self.scopes[scope].path;
            self.scopes[scope].path = self.graph.and(path, condition);
        }
    }

    /// Runs a branch: both sides, or, if something in them must stay, as a branch of the machine.
    pub(super) fn branch(
        &mut self,
        condition: Id,
        accept: Side<'_, 'm, 'a>,
        reject: Side<'_, 'm, 'a>,
    ) -> Result<(), Refused> {
        if let Some(value) = self.graph.value(condition) {
            return if value != 0.0 { accept(self) } else { reject(self) };
        }
        if self.flattening > 0 {
            return self.if_convert(condition, accept, reject);
        }
        let state = self.save();
        let (size, exits, at) = (self.graph.size(), self.exits.len(), self.graph.origin);
        self.flattening += 1;
        let result = self.if_convert(condition, accept, reject);
        self.flattening -= 1;
        let mut stays = self.graph.size() - size > self.setting.limits.if_convert;
        let blocked = std::mem::take(&mut self.must_stay);
        // How often a loop runs is known from exits in straight code.
        if !blocked && self.exits.len() == exits {
            stays ^= self.inverts(at);
        }
        if !(blocked || result.is_ok() && stays) {
            return result;
        }
        self.roll_back(state);
        self.graph.origin = at;
        self.structured_branch(condition, accept, reject)
    }

    /// Runs both sides of a branch and joins them.
    fn if_convert(
        &mut self,
        condition: Id,
        accept: Side<'_, 'm, 'a>,
        reject: Side<'_, 'm, 'a>,
    ) -> Result<(), Refused> {
        let (paths, exits, at) = (self.paths(), self.exits.len(), self.graph.origin);
        let before = self.memory.clone();
        self.setting.work.note(before.len());
        self.narrow(usize::MAX, condition);
        self.variables.branches += 1;
        accept(self)?;
        let first = std::mem::replace(&mut self.memory, before);
        let dead = std::mem::take(&mut self.dead);
        self.set_paths(&paths);
        let not = self.graph.not(condition);
        self.narrow(usize::MAX, not);
        reject(self)?;
        self.variables.branches -= 1;
        match (dead, self.dead) {
            (false, false) => self.join(condition, &first, at),
            (false, true) => {
                self.memory = first;
                self.dead = false;
            }
            (true, _) => {}
        }
        self.restore(&paths, exits);
        Ok(())
    }

    pub(super) fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block) -> Result<(), Refused> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.refuse("statements and calls are nested too deep");
        }
        for (statement, span) in block.span_iter() {
            if self.dead {
                break;
            }
            self.step()?;
            self.locate(*span);
            let joins = matches!(
                statement,
                Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. }
            );
            let before = joins.then(|| self.memory.clone());
            self.statement(frame, statement)?;
            self.flush();
            if let Some(before) = before.filter(|_| !self.dead) {
                self.note_joins(&before, last_offset(statement, span));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'m>,
        statement: &'m Statement,
    ) -> Result<(), Refused> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.step()?;
                    let span = frame.function.expressions.get_span(handle);
                    self.locate(span);
                    let value = self.evaluate(frame, handle);
                    let value = value.or_else(|error| self.instead(frame, handle, error))?;
                    self.note_named(frame, handle, &value);
                    frame.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => self.block(frame, block)?,
            Statement::If { condition, accept, reject } => {
                let mut condition = self.scalar_of(frame, *condition)?;
                let mut sides = [accept, reject];
                if accept.is_empty() {
                    condition = self.graph.not(condition);
                    sides.swap(0, 1);
                }
                let frame = std::cell::RefCell::new(frame);
                let [accept, reject] = sides;
                self.branch(
                    condition,
                    &mut |walker| walker.block(&mut frame.borrow_mut(), accept),
                    &mut |walker| walker.block(&mut frame.borrow_mut(), reject),
                )?;
            }
            Statement::Switch { selector, cases } => {
                let selector = self.scalar_of(frame, *selector)?;
                self.enter(Leaves::Switch);
                self.switch(frame, selector, cases)?;
                self.leave();
            }
            Statement::Loop { body, continuing, break_if } => {
                let parts = LoopParts { body, continuing, break_if: *break_if };
                let (span, origin) = (self.span, self.graph.origin);
                let state = (self.flattening == 0).then(|| self.save());
                let inverted = state.is_some() && self.inverts(self.graph.origin);
                self.flattening += 1;
                let unrolled = self.unrolled(frame, parts, inverted);
                self.flattening -= 1;
                let blocked = std::mem::take(&mut self.must_stay);
                match (unrolled, state) {
                    (Ok(true), _) => {}
                    (Err(error), _) if !blocked => return Err(error),
                    (_, Some(state)) => {
                        self.roll_back(state);
                        (self.span, self.graph.origin) = (span, origin);
                        self.structured_loop(frame, parts)?;
                    }
                    (_, None) => {
                        self.must_stay = true;
                        return self.refuse("a loop that stays is in straight code");
                    }
                }
            }
            Statement::Break => self.leave_by(&[Leaves::Loop, Leaves::Switch]),
            Statement::Continue => self.leave_by(&[Leaves::Iteration]),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.scalars_of(frame, *value)?;
                    let result = frame.function.result.as_ref();
                    let size = result.map_or(Ok(0), |result| self.size_of(result.ty))?;
                    // naga does not compare the types.
                    if size != value.len() {
                        return self.refuse("expected a value of the function's type");
                    }
                    self.store_at(frame.result, &value);
                }
                self.exit(frame.scope);
            }
            Statement::Kill => {
                let condition = self.path();
                if let Some(block) = self.flow.blocks.last_mut() {
                    block.kills.push((condition, self.graph.origin));
                    block.origin = self.graph.origin;
                }
                // What follows on this path has no effect. The machine runs killed points on: they leave a loop
                // of the machine, since nothing else may end it for them.
                match self.regions.iter().rev().find(|region| region.variables.is_some()) {
                    Some(region) => self.exit(region.floor - 1),
                    None => self.dead = true,
                }
            }
            Statement::Store { pointer, value } => {
                let value = self.scalars_of(frame, *value)?;
                match self.value(frame, *pointer)? {
                    // naga does not compare the types here either.
                    Value::Pointer(pointer) if pointer.size != value.len() => {
                        return self.refuse("expected a value of the variable's type");
                    }
                    Value::Pointer(pointer) => self.store(&pointer, &value)?,
                    Value::Element(element) => self.store_element(&element, &value)?,
                    Value::Scalars(_) | Value::Image(_) | Value::Sampler | Value::Buffer(_) => {
                        return self.refuse("expected a variable");
                    }
                }
            }
            Statement::ImageStore { image, coordinate, array_index: None, value } => {
                let Value::Buffer(buffer) = self.value(frame, *image)? else {
                    return self.refuse("expected a storage texture");
                };
                let at = self.scalars_of(frame, *coordinate)?;
                let value = self.scalars_of(frame, *value)?;
                let element = self.element_at(buffer, [at[0], at[1]]);
                self.store_element(&element, &value)?;
            }
            Statement::Call { function, arguments, result } => {
                let called = &self.module.functions[*function];
                let values = arguments.iter().map(|argument| self.value(frame, *argument));
                let values = values.collect::<Result<Vec<Value>, Refused>>()?;
                let span = self.span;
                let texture = self.setting.glsl.and_then(|glsl| glsl.textures.get(function));
                let value = match texture {
                    Some(texture) => self.sampling(*texture, &values),
                    None => self.call(Some(*function), called, values),
                };
                self.span = span;
                let value = value.map(Self::scalars_value);
                if let Some(result) = *result {
                    let value = value.or_else(|error| self.instead(frame, result, error))?;
                    self.note_named(frame, result, &value);
                    frame.values[result.index()] = Some(value);
                } else {
                    value?;
                }
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                return self
                    .refuse("the machine has no barriers: the points of a launch share no memory");
            }
            Statement::Atomic { .. } | Statement::ImageAtomic { .. } => {
                return self.refuse("the machine has no atomics");
            }
            Statement::ImageStore { .. }
            | Statement::WorkGroupUniformLoad { .. }
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::CooperativeStore { .. } => {
                return self.refuse("the machine has nothing for this statement");
            }
        }
        Ok(())
    }

    /// Runs a loop as straight code, if it is small, or large and `inverted`, and its end is known.
    fn unrolled(
        &mut self,
        frame: &mut Frame<'m>,
        parts: LoopParts<'m>,
        inverted: bool,
    ) -> Result<bool, Refused> {
        self.enter(Leaves::Loop);
        let scope = self.scopes.len() - 1;
        let size = self.graph.size();
        let mut iterations = 0;
        while !self.dead {
            iterations += 1;
            let large = self.graph.size() - size > self.setting.limits.unroll;
            if iterations > MAX_ITERATIONS || large && !inverted {
                return Ok(false);
            }
            self.enter(Leaves::Iteration);
            self.block(frame, parts.body)?;
            self.leave();
            if self.dead {
                break;
            }
            self.block(frame, parts.continuing)?;
            if let Some(condition) = parts.break_if {
                let condition = self.scalar_of(frame, condition)?;
                self.branch(
                    condition,
                    &mut |walker| {
                        walker.exit(scope);
                        Ok(())
                    },
                    &mut |_| Ok(()),
                )?;
            }
        }
        self.leave();
        Ok(!inverted || self.graph.size() - size > self.setting.limits.unroll)
    }

    fn leave_by(&mut self, kinds: &[Leaves]) {
        let target = self.scopes.iter().rposition(|scope| kinds.contains(&scope.kind));
        if let Some(target) = target {
            self.exit(target);
        }
    }

    /// Runs the cases of a switch from the first that may match.
    fn switch(
        &mut self,
        frame: &mut Frame<'m>,
        selector: Id,
        cases: &'m [SwitchCase],
    ) -> Result<(), Refused> {
        // Each case starts with its own condition, or because the case before falls through.
        let zero = self.graph.number(0.0);
        let mut falls = zero;
        let mut all = zero;
        for case in cases {
            if let Some(matches) = self.case(selector, case.value) {
                all = self.graph.or(all, matches);
            }
        }
        for case in cases {
            let matches = match self.case(selector, case.value) {
                Some(matches) => matches,
                None => self.graph.not(all),
            };
            let enters = self.graph.or(matches, falls);
            falls = if case.fall_through { enters } else { zero };
            if self.dead {
                break;
            }
            let frame = std::cell::RefCell::new(&mut *frame);
            self.branch(
                enters,
                &mut |walker| walker.block(&mut frame.borrow_mut(), &case.body),
                &mut |_| Ok(()),
            )?;
        }
        Ok(())
    }

    fn case(&mut self, selector: Id, value: SwitchValue) -> Option<Id> {
        let value = match value {
            SwitchValue::I32(value) => value as f32,
            SwitchValue::U32(value) => value as f32,
            SwitchValue::Default => return None,
        };
        let value = self.graph.number(value);
        Some(self.equal(selector, value))
    }
}
