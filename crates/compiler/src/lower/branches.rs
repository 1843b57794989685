//! Branches of the machine, and what they share with its loops: values that change in them go through variables.
//!
//! Inside a region, conditions are those since its start: the machine keeps the points that are elsewhere inactive. An exit
//! to a scope outside becomes a flag, and a branch on it after the region; an exit of a loop of the machine becomes a break.

use super::{AND, Refused, Walker};
use ctm_codegen::flow::{Block, BlockId, Control, FlowGraph, Phi, VariableId};
use ctm_codegen::graph::{Id, Op};

/// A branch or a loop of the machine.
#[derive(Clone)]
pub(super) struct Region {
    /// Exits to scopes below this leave the region.
    pub floor: usize,
    /// The number of exits when it started.
    pub exits: usize,
    /// The variables that a loop changes; `None` for a side of a branch.
    pub variables: Option<LoopVariables>,
}

/// The variables of a loop.
#[derive(Clone)]
pub(super) struct LoopVariables {
    /// The memory that each stands for.
    pub slots: Vec<(usize, VariableId)>,
    /// The value of each for all points that are here, if it is known.
    pub content: Vec<Option<Id>>,
    /// Set where the loop is left for a scope outside.
    pub outside: Option<usize>,
    /// Set where the loop is left.
    pub done: usize,
    /// The first block, if it reads constant arrays.
    pub indexed: Option<BlockId>,
    /// The next exit is the test between two iterations of the source in one of the machine's: it is left out.
    pub passes: bool,
    /// The conditions of these.
    pub passed: Vec<Id>,
}

/// A scope is left.
#[derive(Clone)]
pub(super) struct Exit {
    /// The scope.
    pub target: usize,
    /// The condition that a point leaves, relative to the start of the scope, or of the enclosing branch or loop of the machine.
    pub condition: Id,
    /// The memory then.
    pub memory: Vec<Id>,
    /// The source position of the statement that leaves.
    pub origin: u32,
}

/// The state that an attempt changes.
pub(super) struct State {
    memory: Vec<Id>,
    stores: Vec<u32>,
    flow: FlowGraph,
    exits: Vec<Exit>,
    regions: Vec<Region>,
    scopes: usize,
    paths: Vec<Id>,
    dead: bool,
    depth: usize,
    calls: usize,
    asked: [usize; 4],
    /// The stores to variables, and the branches around that are straight code.
    variables: [usize; 2],
}

/// A side of a branch.
pub(super) type Side<'s, 'm, 'a> =
    &'s mut (dyn FnMut(&mut Walker<'m, 'a>) -> Result<(), Refused> + 's);

impl<'m, 'a> Walker<'m, 'a> {
    pub(super) fn save(&self) -> State {
        let exits = self.exits.iter().map(|exit| exit.memory.len()).sum::<usize>();
        let loops = self.regions.iter().filter_map(|region| region.variables.as_ref());
        let slots = loops.map(|variables| variables.slots.len()).sum::<usize>();
        self.setting.work.note(self.memory.len() + exits + slots + self.flow.size());
        State {
            memory: self.memory.clone(),
            stores: self.stores.clone(),
            flow: self.flow.clone(),
            exits: self.exits.clone(),
            regions: self.regions.clone(),
            scopes: self.scopes.len(),
            paths: self.paths(),
            dead: self.dead,
            depth: self.depth,
            calls: self.calls.len(),
            asked: self.graph.asked.mark(),
            variables: [self.variables.stores.len(), self.variables.branches],
        }
    }

    /// Takes back an attempt.
    pub(super) fn roll_back(&mut self, state: State) {
        self.memory = state.memory;
        self.stores = state.stores;
        self.flow = state.flow;
        self.exits = state.exits;
        self.regions = state.regions;
        self.scopes.truncate(state.scopes);
        self.set_paths(&state.paths);
        self.dead = state.dead;
        self.depth = state.depth;
        self.calls.truncate(state.calls);
        self.graph.asked.roll_back(state.asked);
        self.variables.stores.truncate(state.variables[0]);
        self.variables.branches = state.variables[1];
    }

    pub(super) fn here_now(&mut self) -> BlockId {
        self.flow.blocks.len() - 1
    }

    /// Ends the block that runs.
    pub(super) fn end(&mut self, end: Control) {
        self.end_at(end, self.graph.origin);
    }

    /// The same, for the statement at a source position.
    pub(super) fn end_at(&mut self, end: Control, origin: u32) {
        if let Some(block) = self.flow.blocks.last_mut() {
            block.end = end;
            block.origin = origin;
        }
        self.flow.blocks.push(Block::new(Control::Next));
    }

    /// Assigns the value of a slot of memory to a variable, at the end of a block.
    pub(super) fn assign(&mut self, block: BlockId, slot: usize, variable: VariableId, value: Id) {
        let stored = self.store_of(slot);
        self.assign_stored(block, variable, value, stored);
    }

    /// The same, with the source position of the store, if it is known.
    fn assign_stored(
        &mut self,
        block: BlockId,
        variable: VariableId,
        value: Id,
        stored: Option<u32>,
    ) {
        self.flow.blocks[block].assignments.push((variable, value));
        if let Some(origin) = stored {
            self.flow.stores.insert((block, variable), origin);
        }
    }

    /// The value of a variable from here on.
    pub(super) fn phi(&mut self, variable: VariableId) -> Id {
        let block = self.here_now();
        self.flow.phis.push(Phi { variable, block });
        self.graph.intern(Op::Phi(self.flow.phis.len() as u32 - 1), &[])
    }

    /// New variables for slots of memory; neighbours share a register.
    pub(super) fn new_variables(&mut self, vectors: &[Vec<usize>]) -> Vec<(usize, VariableId)> {
        let mut variables = Vec::new();
        for slots in vectors {
            let first = self.flow.variables;
            self.flow.variables += slots.len();
            self.flow.vectors.push((first..self.flow.variables).collect());
            variables.extend(slots.iter().copied().zip(first..));
        }
        variables
    }

    /// Whether a point has not left since the region started.
    pub(super) fn here(&mut self) -> Id {
        let start = self.regions.last().map_or(0, |region| region.exits);
        let mut here = self.graph.number(1.0);
        self.setting.work.note(AND * (self.exits.len() - start));
        for n in start..self.exits.len() {
            let not = self.graph.not(self.exits[n].condition);
            here = self.graph.and(here, not);
        }
        here
    }

    /// Conditions start anew.
    pub(super) fn clear_paths(&mut self) {
        let one = self.graph.number(1.0);
        for scope in &mut self.scopes {
            scope.path = one;
        }
    }

    /// The first block of the innermost loop of the machine, if it reads constant arrays.
    pub(super) fn indexed(&self) -> Option<BlockId> {
        self.regions.iter().rev().find_map(|region| region.variables.as_ref())?.indexed
    }

    fn content(&self) -> Option<Vec<Option<Id>>> {
        self.regions
            .iter()
            .rev()
            .find_map(|region| region.variables.as_ref())
            .map(|variables| variables.content.clone())
    }

    fn set_content(&mut self, content: Option<Vec<Option<Id>>>) {
        let variables = self.regions.iter_mut().rev().find_map(|region| region.variables.as_mut());
        if let (Some(variables), Some(content)) = (variables, content) {
            variables.content = content;
        }
    }

    /// Breaks for the exits of the innermost loop of the machine.
    pub(super) fn flush(&mut self) {
        if self.flattening > 0 {
            return;
        }
        let Some(at) = self.regions.iter().rposition(|region| region.variables.is_some()) else {
            return;
        };
        let floor = self.regions[at].floor;
        let start = self.regions.last().map_or(0, |region| region.exits);
        let mut crossing: Vec<Exit> = Vec::new();
        let recent = self.exits.split_off(start);
        for exit in recent {
            if exit.target < floor { crossing.push(exit) } else { self.exits.push(exit) }
        }
        let Some(last) = crossing.last().cloned() else { return };
        let Some(mut variables) = self.regions[at].variables.clone() else { return };
        let one = self.graph.number(1.0);
        let mut any = self.graph.number(0.0);
        if std::mem::take(&mut variables.passes) {
            for exit in &crossing {
                any = self.graph.or(any, exit.condition);
            }
            variables.passed.push(any);
            self.regions[at].variables = Some(variables);
            self.clear_paths();
            let paths = self.paths();
            self.restore(&paths, start);
            return;
        }
        for exit in &mut crossing {
            any = self.graph.or(any, exit.condition);
            if let Some(outside) = variables.outside.filter(|_| exit.target + 1 < floor) {
                exit.memory[outside] = one;
            }
            exit.memory[variables.done] = one;
        }
        self.setting.work.note(AND * variables.slots.len() * (1 + crossing.len()));
        let mut selected: Vec<usize> = Vec::new();
        let mut run: Vec<Id> = Vec::new();
        for (n, (slot, variable)) in variables.slots.iter().copied().enumerate() {
            let plain = self.memory[slot];
            let mut value = plain;
            if self.dead {
                value = crossing.last().map_or(last.memory[slot], |exit| exit.memory[slot]);
            }
            for exit in crossing.iter().rev() {
                value = self.graph.select(exit.condition, exit.memory[slot], value);
            }
            if variables.content[n] == Some(value) {
                continue;
            }
            self.assign(self.flow.blocks.len() - 1, slot, variable, value);
            run.push(value);
            variables.content[n] = Some(value).filter(|_| !self.dead);
            if value != plain && !self.dead {
                selected.push(n);
            }
        }
        for four in run.chunks(4) {
            self.graph.vector(four);
        }
        self.end_at(Control::Break(any), last.origin);
        for n in selected {
            let (slot, variable) = variables.slots[n];
            let phi = self.phi(variable);
            self.memory[slot] = phi;
            variables.content[n] = Some(phi);
        }
        self.regions[at].variables = Some(variables);
        self.clear_paths();
        let paths = self.paths();
        self.restore(&paths, start);
    }

    /// Joins the exits to scopes outside with what runs. Returns their scopes and where each is taken.
    fn fold(&mut self, start: usize) -> Vec<(usize, Id)> {
        let exits = self.exits.split_off(start);
        let [zero, one] = [0.0, 1.0].map(|value| self.graph.number(value));
        let mut flags: Vec<(usize, Id)> = Vec::new();
        for exit in &exits {
            if !flags.iter().any(|(target, _)| *target == exit.target) {
                flags.push((exit.target, zero));
            }
        }
        for exit in exits.into_iter().rev() {
            let dead = std::mem::take(&mut self.dead);
            if dead {
                self.memory = exit.memory;
            } else {
                self.join(exit.condition, &exit.memory, exit.origin);
            }
            for (target, flag) in &mut flags {
                let here = if *target == exit.target { one } else { zero };
                *flag = if dead { here } else { self.graph.select(exit.condition, here, *flag) };
            }
        }
        flags
    }

    /// A branch of the machine.
    pub(super) fn structured_branch<'s>(
        &mut self,
        condition: Id,
        accept: Side<'s, 'm, 'a>,
        reject: Side<'s, 'm, 'a>,
    ) -> Result<(), Refused> {
        let here = self.here();
        if self.graph.is(here, 1.0) {
            return self.structured_sides(condition, accept, reject).map(|_| ());
        }
        // Points that have left take the second side: values do not count there, but nothing else may happen.
        let state = self.save();
        let both = self.graph.and(here, condition);
        if !self.structured_sides(both, accept, reject)? {
            return Ok(());
        }
        self.roll_back(state);
        let sides = std::cell::RefCell::new((accept, reject));
        self.structured_sides(
            here,
            &mut |walker| {
                let (accept, reject) = &mut *sides.borrow_mut();
                walker.structured_branch(condition, accept, reject)
            },
            &mut |_| Ok(()),
        )?;
        Ok(())
    }

    /// The sides of a branch of the machine. Returns whether the second one leaves a scope, ends points or has regions.
    fn structured_sides<'s>(
        &mut self,
        condition: Id,
        accept: Side<'s, 'm, 'a>,
        reject: Side<'s, 'm, 'a>,
    ) -> Result<bool, Refused> {
        let paths = self.paths();
        let (before, stores) = (self.memory.clone(), self.stores.clone());
        self.setting.work.note(5 * before.len());
        let content = self.content();
        let from = self.here_now();
        let (start, at) = (self.exits.len(), self.graph.origin);
        self.end(Control::If(condition));
        self.regions.push(Region { floor: self.scopes.len(), exits: start, variables: None });
        let mut sides = Vec::new();
        for side in [accept, reject] {
            if !sides.is_empty() {
                self.end_at(Control::Else, at);
            }
            self.memory.clone_from(&before);
            self.stores.clone_from(&stores);
            self.dead = false;
            self.set_content(content.clone());
            self.clear_paths();
            side(self)?;
            self.flush();
            let flags = self.fold(start);
            let memory = std::mem::take(&mut self.memory);
            let stored = self.stores.clone();
            sides.push((memory, self.dead, flags, self.content(), self.here_now(), stored));
        }
        self.regions.pop();
        let (mut second, mut first) =
            (sides.pop().unwrap_or_default(), sides.pop().unwrap_or_default());
        let acts = second.4 > first.4 + 1
            || !second.2.is_empty()
            || !self.flow.blocks[second.4].kills.is_empty();
        // Flags are memory that was 0 before.
        let zero = self.graph.number(0.0);
        let mut before = before;
        let size = before.len();
        let mut targets: Vec<usize> = Vec::new();
        for (target, _) in first.2.iter().chain(&second.2) {
            if !targets.contains(target) {
                targets.push(*target);
            }
        }
        for side in [&mut first, &mut second] {
            side.0.truncate(size);
            for target in &targets {
                let flag = side.2.iter().find(|(other, _)| other == target);
                side.0.push(flag.map_or(zero, |(_, flag)| *flag));
            }
        }
        before.extend(targets.iter().map(|_| zero));
        let alive: Vec<(&Vec<Id>, BlockId, &Vec<u32>)> = [&first, &second]
            .into_iter()
            .filter(|side| !side.1)
            .map(|side| (&side.0, side.4, &side.5))
            .collect();
        let mut changed: Vec<Vec<usize>> = Vec::new();
        let mut after = before.clone();
        for slot in 0..before.len() {
            let values: Vec<Id> = alive.iter().map(|(memory, ..)| memory[slot]).collect();
            if values.iter().all(|value| *value == before[slot]) {
                continue;
            }
            if values.iter().all(|value| *value == values[0] && self.graph.bits(*value).is_some()) {
                after[slot] = values[0];
                continue;
            }
            match changed.last_mut() {
                Some(run) if run.len() < 4 && run.last() == Some(&slot.wrapping_sub(1)) => {
                    run.push(slot)
                }
                _ => changed.push(vec![slot]),
            }
        }
        let variables = self.new_variables(&changed);
        for (slot, variable) in &variables {
            let mut early = false;
            let stored = |stores: &[u32]| stores.get(*slot).copied().filter(|origin| *origin > 0);
            for (memory, block, stores) in &alive {
                if memory[*slot] == before[*slot] {
                    early = true;
                } else {
                    let stored = stored(stores);
                    self.assign_stored(*block, *variable, memory[*slot], stored);
                }
            }
            if early {
                self.assign_stored(from, *variable, before[*slot], stored(&stores));
            }
        }
        // A second side without effect needs no instruction.
        let last = self.flow.blocks.len() - 1;
        if second.4 == first.4 + 1
            && self.flow.blocks[last].assignments.is_empty()
            && self.flow.blocks[last].kills.is_empty()
            && self.flow.blocks[last].writes.is_empty()
        {
            self.flow.blocks.pop();
            self.forget_stores();
        }
        self.end_at(Control::EndIf, at);
        for (slot, variable) in variables {
            after[slot] = self.phi(variable);
        }
        self.dead = first.1 && second.1;
        self.set_paths(&paths);
        let content = match (first.1, second.1) {
            (true, _) => second.3,
            (_, true) => first.3,
            _ => first.3.zip(second.3).map(|(a, b)| {
                a.into_iter().zip(b).map(|(a, b)| if a == b { a } else { None }).collect()
            }),
        };
        self.set_content(content);
        let flags = after.split_off(size);
        self.memory = after;
        for (target, flag) in targets.into_iter().zip(flags) {
            self.leave_if(flag, target)?;
        }
        Ok(acts)
    }

    /// Leaves a scope where a condition holds.
    pub(super) fn leave_if(&mut self, condition: Id, target: usize) -> Result<(), Refused> {
        // Always straight: a branch would need the same flag again.
        self.flattening += 1;
        let result = self.branch(
            condition,
            &mut |walker| {
                walker.exit(target);
                Ok(())
            },
            &mut |_| Ok(()),
        );
        self.flattening -= 1;
        result
    }
}
