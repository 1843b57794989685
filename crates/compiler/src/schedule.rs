//! The order of instructions, and the registers: list scheduling that fills the lanes of each instruction.
//!
//! A register is chosen when a value is made, by its group; a channel is free again after the last read.

use crate::pack::{Packed, Packer, Place, reads};
use crate::select::{Atom, Code, Does, Operand, Operation, Source, Value, ValueId};
use ctm_isa::isa::{ALPHA, AluOp, Omod, Presub, RGB, TEMPORARIES, channels};

/// An instruction.
#[derive(Clone, Debug)]
pub enum Slot {
    /// Arithmetic, with the destinations of the units.
    Alu(Box<Packed>, [u8; 2]),
    /// A fetch, with its destination.
    Fetch(usize, u8),
    /// Ends points.
    Kill(Vec<usize>),
}

/// A program before it is encoded.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The instructions.
    pub slots: Vec<Slot>,
    /// The operations.
    pub code: Code,
    /// Where each value is while it lives.
    pub places: Vec<Option<Place>>,
    /// The temporary of each varying.
    pub inputs: Vec<(u32, u8)>,
}

/// How the next operation is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// Operations wait for others of their group.
    pub patience: u32,
    /// Members of a group stay in one register.
    pub together: bool,
    /// How many operations are tried as the first of an instruction.
    pub width: usize,
}

/// Why there is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No free register for an operation.
    Registers(usize),
    /// More instructions than the machine has.
    Length,
}

struct Scheduler {
    code: Code,
    places: Vec<Option<Place>>,
    /// Which value is in a channel.
    held: [[Option<ValueId>; 4]; TEMPORARIES],
    /// The operations that still read a value.
    left: Vec<usize>,
    /// The register of each group, and the members without one.
    registers: Vec<Option<u8>>,
    waiting: Vec<u8>,
    /// The members of groups that each register waits for.
    claims: [u32; TEMPORARIES],
    /// Operations that end points and are not done.
    kills: usize,
    /// Values that an operation waits for; done and dead operations have `DONE`.
    needs: Vec<usize>,
    users: Vec<Vec<usize>>,
    height: Vec<u32>,
    ready: Vec<usize>,
    remaining: usize,
    slots: Vec<Slot>,
    strategy: Strategy,
    precise: bool,
}

const DONE: usize = usize::MAX;

/// Most instructions; longer programs cannot run.
const MAX_SLOTS: usize = 2048;

/// Operations that are tried as companions of the first.
const MAX_TRIED: usize = 32;

/// Schedules operations.
pub fn schedule(code: Code, strategy: Strategy, precise: bool) -> Result<Schedule, Failure> {
    let (values, groups, operations) =
        (code.values.len(), code.groups.len(), code.operations.len());
    let waiting = code.groups.iter().map(|group| group.members).collect();
    let mut this = Scheduler {
        code,
        places: vec![None; values],
        held: [[None; 4]; TEMPORARIES],
        left: vec![0; values],
        registers: vec![None; groups],
        waiting,
        claims: [0; TEMPORARIES],
        kills: 0,
        needs: vec![0; operations],
        users: vec![Vec::new(); operations],
        height: vec![0; operations],
        ready: Vec::new(),
        remaining: 0,
        slots: Vec::new(),
        strategy,
        precise,
    };
    this.prepare();
    let inputs = this.inputs()?;
    while this.remaining > 0 {
        if this.slots.len() > MAX_SLOTS {
            return Err(Failure::Length);
        }
        this.step()?;
    }
    Ok(Schedule { slots: this.slots, code: this.code, places: this.places, inputs })
}

/// The values that an operation reads, each once.
fn distinct(operation: &Operation) -> Vec<ValueId> {
    let mut values: Vec<ValueId> = reads(operation).collect();
    values.sort_unstable();
    values.dedup();
    values
}

impl Scheduler {
    fn made(&self, value: ValueId) -> Option<usize> {
        self.code.values[value].made
    }

    /// Counts users; leaves out what has no effect.
    fn prepare(&mut self) {
        let count = self.code.operations.len();
        let mut live = vec![false; count];
        let mut open: Vec<usize> = (0..count)
            .filter(|n| {
                let operation = &self.code.operations[*n];
                operation.out.is_some() || operation.does == Does::Kill
            })
            .collect();
        while let Some(n) = open.pop() {
            if std::mem::replace(&mut live[n], true) {
                continue;
            }
            for value in distinct(&self.code.operations[n]) {
                self.left[value] += 1;
                open.extend(self.made(value));
            }
        }
        // A group waits only for what is made.
        for value in &self.code.values {
            if let (Some((group, _)), Some(made)) = (value.group, value.made)
                && !live[made]
            {
                self.waiting[group] -= 1;
            }
        }
        for (n, live) in live.into_iter().enumerate() {
            if !live {
                self.needs[n] = DONE;
                continue;
            }
            self.remaining += 1;
            self.kills += (self.code.operations[n].does == Does::Kill) as usize;
            let mut makers: Vec<usize> = distinct(&self.code.operations[n])
                .into_iter()
                .filter_map(|value| self.made(value))
                .collect();
            makers.sort_unstable();
            makers.dedup();
            self.needs[n] = makers.len();
            for maker in makers {
                self.users[maker].push(n);
            }
        }
        for n in (0..count).rev() {
            let weight = if matches!(self.code.operations[n].does, Does::Fetch(_)) { 3 } else { 1 };
            let above = self.users[n].iter().map(|user| self.height[*user]).max().unwrap_or(0);
            self.height[n] = above + weight;
        }
        self.ready = (0..count).filter(|n| self.needs[*n] == 0).collect();
    }

    /// Gives temporaries to varyings, in their order.
    fn inputs(&mut self) -> Result<Vec<(u32, u8)>, Failure> {
        let mut slots: Vec<u32> = Vec::new();
        for (value, left) in self.code.values.iter().zip(&self.left) {
            if let Some((slot, _)) = value.input
                && *left > 0
            {
                slots.push(slot);
            }
        }
        slots.sort_unstable();
        slots.dedup();
        if slots.len() > TEMPORARIES {
            return Err(Failure::Registers(0));
        }
        for (n, value) in self.code.values.iter().enumerate() {
            if let Some((slot, channel)) = value.input
                && let Ok(register) = slots.binary_search(&slot)
                && self.left[n] > 0
            {
                self.places[n] = Some((register as u8, channel));
                self.held[register][channel as usize] = Some(n);
            }
        }
        Ok(slots.into_iter().zip(0..).collect())
    }

    fn step(&mut self) -> Result<(), Failure> {
        let is = |this: &Self, n: usize, kill: bool| match this.code.operations[n].does {
            Does::Fetch(_) => !kill,
            Does::Kill => kill,
            Does::Lane(_) | Does::Dot(_) => false,
        };
        let arithmetic: Vec<usize> = self
            .ready
            .iter()
            .copied()
            .filter(|n| !is(self, *n, false) && !is(self, *n, true))
            .collect();
        let empty =
            self.held.iter().filter(|register| register.iter().all(Option::is_none)).count();
        let fetch = self
            .ready
            .iter()
            .copied()
            .filter(|n| is(self, *n, false))
            .max_by_key(|n| (self.height[*n], usize::MAX - n));
        if let Some(fetch) = fetch
            && (empty > 24 || arithmetic.is_empty())
        {
            return self.fetch(fetch);
        }
        let kills: Vec<usize> = self.ready.iter().copied().filter(|n| is(self, *n, true)).collect();
        if !kills.is_empty() && (kills.len() == self.kills || arithmetic.is_empty()) {
            self.kill(&kills);
            return Ok(());
        }
        if arithmetic.is_empty() {
            return Err(Failure::Registers(self.ready.first().copied().unwrap_or(0)));
        }
        self.arithmetic(arithmetic)
    }

    fn fetch(&mut self, n: usize) -> Result<(), Failure> {
        let results = self.code.operations[n].results.clone();
        let wanted: Vec<usize> = (0..4)
            .filter(|channel| results[*channel].is_some_and(|value| self.left[value] > 0))
            .collect();
        for value in distinct(&self.code.operations[n]) {
            self.release(value);
        }
        let free = |this: &Self, register: usize| {
            wanted.iter().all(|channel| this.held[register][*channel].is_none())
        };
        let empty = |this: &Self, register: usize| this.held[register].iter().all(Option::is_none);
        let register = (0..TEMPORARIES)
            .find(|register| empty(self, *register) && !self.reserved(*register))
            .or_else(|| (0..TEMPORARIES).find(|register| free(self, *register)))
            .ok_or(Failure::Registers(n))?;
        for channel in wanted {
            if let Some(value) = results[channel] {
                self.places[value] = Some((register as u8, channel as u8));
                self.held[register][channel] = Some(value);
            }
        }
        self.slots.push(Slot::Fetch(n, register as u8));
        self.finish(n);
        Ok(())
    }

    fn kill(&mut self, ready: &[usize]) {
        let register = |this: &Self, n: usize| {
            let value = reads(&this.code.operations[n]).next()?;
            this.places[value].map(|(register, _)| register)
        };
        let first = register(self, ready[0]);
        let together: Vec<usize> =
            ready.iter().copied().filter(|n| register(self, *n) == first).take(4).collect();
        for n in &together {
            for value in distinct(&self.code.operations[*n]) {
                self.release(value);
            }
            self.finish(*n);
        }
        self.kills -= together.len();
        self.slots.push(Slot::Kill(together));
    }

    /// Whether a register waits for members of a group.
    fn reserved(&self, register: usize) -> bool {
        self.claims[register] > 0
    }

    /// One read fewer.
    fn release(&mut self, value: ValueId) {
        self.left[value] = self.left[value].saturating_sub(1);
        if self.left[value] == 0
            && let Some((register, channel)) = self.places[value]
        {
            self.held[register as usize][channel as usize] = None;
        }
    }

    /// An operation is done; its users may be ready.
    fn finish(&mut self, n: usize) {
        self.needs[n] = DONE;
        self.remaining -= 1;
        self.ready.retain(|other| *other != n);
        for user in self.users[n].clone() {
            if self.needs[user] != DONE {
                self.needs[user] -= 1;
                if self.needs[user] == 0 {
                    self.ready.push(user);
                }
            }
        }
    }

    fn result(&self, n: usize) -> Option<ValueId> {
        self.code.operations[n].results.first().copied().flatten()
    }

    fn group(&self, n: usize) -> Option<(usize, u8)> {
        self.code.values[self.result(n)?].group
    }

    /// How urgent an operation is.
    fn urgency(&self, n: usize, ready: &[usize]) -> (bool, i64, i64) {
        let operation = &self.code.operations[n];
        let only_out = operation.out.is_some() && self.users[n].is_empty();
        // Members that are not ready yet: an instruction later has more of them.
        let missing = match self.group(n) {
            Some((group, _)) => {
                let here = ready
                    .iter()
                    .filter(|other| self.group(**other).is_some_and(|(found, _)| found == group));
                (self.waiting[group] as i64 - here.count() as i64).max(0)
            }
            None => 0,
        };
        let patience = if missing > 0 { self.strategy.patience as i64 } else { 0 };
        (!only_out, self.height[n] as i64 - patience, -(n as i64))
    }

    fn arithmetic(&mut self, mut ready: Vec<usize>) -> Result<(), Failure> {
        let keys: Vec<_> = ready.iter().map(|n| (self.urgency(*n, &ready), *n)).collect();
        let mut keys = keys;
        keys.sort_by(|a, b| b.cmp(a));
        ready = keys.into_iter().map(|(_, n)| n).collect();
        let packer = Packer {
            operations: &self.code.operations,
            places: &self.places,
            precise: self.precise,
        };
        let mut best: Option<(i64, Packed, [u8; 2])> = None;
        let tallest = self.height[ready[0]] as i64;
        for lead in ready.iter().take(self.strategy.width) {
            for unit in [RGB, ALPHA] {
                let Some((packed, dest)) = self.form(&packer, *lead, unit, &ready) else {
                    continue;
                };
                let score = self.score(&packed, tallest);
                if best.as_ref().is_none_or(|(other, ..)| score > *other) {
                    best = Some((score, packed, dest));
                }
            }
        }
        let Some((_, packed, dest)) = best else {
            return self.split(ready[0]);
        };
        self.commit(packed, dest);
        Ok(())
    }

    fn members(packed: &Packed) -> Vec<usize> {
        let mut members: Vec<usize> =
            packed.members.iter().flatten().map(|member| member.operation).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    fn score(&self, packed: &Packed, tallest: i64) -> i64 {
        let members = Self::members(packed);
        let height: i64 = members.iter().map(|n| self.height[*n] as i64).max().unwrap_or(0);
        let sum: i64 = members
            .iter()
            .map(|n| match self.code.operations[*n].does {
                // A dot product does the work of a whole unit.
                Does::Dot(count) => i64::from(count),
                Does::Lane(_) | Does::Fetch(_) | Does::Kill => 1,
            })
            .sum();
        sum * 100 - (tallest - height) * 40
    }

    /// Lanes for an operation, best first.
    fn lanes(&self, n: usize, packed: &Packed, unit: Option<usize>) -> Vec<u8> {
        let operation = &self.code.operations[n];
        if let Some((_, mask)) = operation.out {
            return vec![mask];
        }
        let place = self.group(n).map(|(_, place)| place);
        let transcendental = matches!(operation.does, Does::Lane(op) if op.is_transcendental());
        let mut lanes: Vec<u8> = Vec::new();
        let rgb = unit != Some(ALPHA);
        // The alpha channel of the group's register may be taken.
        let taken = self.group(n).is_some_and(|(group, _)| {
            let home = self.registers[group].map(|register| self.held[register as usize][3]);
            self.strategy.together && home.is_some_and(|held| held.is_some())
        });
        let alpha = unit != Some(RGB) && !taken;
        if let Some(place) = place.filter(|place| if *place < 3 { rgb } else { alpha }) {
            lanes.push(1 << place);
        }
        if let Does::Lane(AluOp::Mdh | AluOp::Mdv) = operation.does {
            let place = reads(operation).next().and_then(|value| self.places[value]);
            return place.map(|(_, channel)| 1 << channel).into_iter().collect();
        }
        if transcendental {
            // Through the RGB unit if others of the group are there.
            let grouped =
                self.group(n).is_some_and(|(group, _)| self.code.groups[group].members > 1);
            let through = grouped && unit == Some(RGB);
            if !through {
                lanes = vec![8];
            } else {
                lanes.retain(|lane| *lane != 8);
                lanes.extend([1, 2, 4]);
            }
            return lanes;
        }
        if rgb {
            lanes.extend([1, 2, 4]);
        }
        if alpha {
            lanes.push(8);
        }
        let mut seen = 0;
        lanes.retain(|lane| {
            let new = seen & lane == 0 && packed.results & lane == 0;
            seen |= lane;
            new
        });
        lanes
    }

    /// Fills an instruction around an operation.
    fn form(
        &self,
        packer: &Packer<'_>,
        lead: usize,
        unit: usize,
        ready: &[usize],
    ) -> Option<(Packed, [u8; 2])> {
        let (mut packed, mut dest) = self.join(packer, &Packed::default(), lead, Some(unit))?;
        let group = self.group(lead).map(|(group, _)| group);
        let mates = ready
            .iter()
            .filter(|n| group.is_some() && self.group(**n).map(|(group, _)| group) == group);
        let rest = ready
            .iter()
            .filter(|n| group.is_none() || self.group(**n).map(|(group, _)| group) != group);
        for n in mates.chain(rest).filter(|n| **n != lead).take(MAX_TRIED) {
            if packed.results == 15 {
                break;
            }
            if let Some((next, places)) = self.join(packer, &packed, *n, None) {
                (packed, dest) = (next, places);
            }
        }
        Some((packed, dest))
    }

    /// Adds an operation in the best lane that has a register.
    fn join(
        &self,
        packer: &Packer<'_>,
        packed: &Packed,
        n: usize,
        unit: Option<usize>,
    ) -> Option<(Packed, [u8; 2])> {
        // An instruction writes one output in each unit.
        if let Some((slot, mask)) = self.code.operations[n].out {
            for member in Self::members(packed) {
                if let Some((other, others)) = self.code.operations[member].out {
                    let shared =
                        mask & 7 != 0 && others & 7 != 0 || mask & 8 != 0 && others & 8 != 0;
                    if shared && other != slot {
                        return None;
                    }
                }
            }
        }
        for lanes in self.lanes(n, packed, unit) {
            if let Some(next) = packer.add(packed, n, lanes)
                && let Some(dest) = self.destinations(&next)
            {
                return Some((next, dest));
            }
        }
        None
    }

    /// Registers for the results of both units.
    fn destinations(&self, packed: &Packed) -> Option<[u8; 2]> {
        let members = Self::members(packed);
        // Reads by these operations come before the writes.
        let free = |register: usize, channel: usize| match self.held[register][channel] {
            None => true,
            Some(value) => {
                let readers = members
                    .iter()
                    .filter(|n| reads(&self.code.operations[**n]).any(|read| read == value));
                readers.count() >= self.left[value]
            }
        };
        // Registers above are all free.
        let used = self.held.iter().rposition(|register| register.iter().any(Option::is_some));
        let some = (used.map_or(0, |used| used + 1) + 3).min(TEMPORARIES);
        let mut dest = [0u8; 2];
        let mut placed: Vec<(usize, u8)> = Vec::new();
        for unit in [RGB, ALPHA] {
            let mut wanted: Vec<(usize, usize)> = Vec::new();
            for channel in channels(packed.results & if unit == RGB { 7 } else { 8 }) {
                let Some(member) = packed.members[channel] else { continue };
                let needed =
                    self.result(member.operation).is_some_and(|value| self.left[value] > 0);
                if needed {
                    wanted.push((channel, member.operation));
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let home = |group: usize| {
                self.registers[group].or_else(|| {
                    placed.iter().find(|(other, _)| *other == group).map(|(_, register)| *register)
                })
            };
            let mut strict = None;
            let mut likely: Vec<u8> = Vec::new();
            let mut room = 0;
            for (_, n) in &wanted {
                let Some((group, _)) = self.group(*n) else { continue };
                if self.code.groups[group].strict {
                    match strict {
                        Some(other) if other != group => return None,
                        _ => strict = Some(group),
                    }
                }
                match home(group) {
                    Some(register) if self.code.groups[group].strict => likely.insert(0, register),
                    Some(register) => likely.push(register),
                    None => room = room.max(self.waiting[group] as usize),
                }
            }
            let fits = |register: usize| wanted.iter().all(|(channel, _)| free(register, *channel));
            let fixed = strict.and_then(home);
            let found = match fixed {
                Some(register) => Some(register as usize).filter(|register| fits(*register)),
                None => {
                    let spacious = |register: &usize| {
                        (0..4).filter(|channel| free(*register, *channel)).count() >= room
                    };
                    let grouped =
                        likely.iter().map(|register| *register as usize).find(|register| {
                            fits(*register) && (strict.is_none() || spacious(register))
                        });
                    // A group starts in an empty register; others use up what is open.
                    let fullness = |register: &usize| {
                        (0..4).filter(|channel| free(*register, *channel)).count()
                    };
                    let open = (0..some).filter(|register| {
                        fits(*register) && spacious(register) && !self.reserved(*register)
                    });
                    let fresh = || {
                        if room > 0 {
                            open.max_by_key(|register| (fullness(register), TEMPORARIES - register))
                        } else {
                            open.min_by_key(|register| (fullness(register), *register))
                        }
                    };
                    grouped.or_else(fresh).or_else(|| {
                        (0..TEMPORARIES).find(|register| {
                            fits(*register) && (strict.is_none() || spacious(register))
                        })
                    })
                }
            };
            let register = found? as u8;
            dest[unit] = register;
            placed.extend(wanted.iter().filter_map(|(_, n)| Some((self.group(*n)?.0, register))));
        }
        Some(dest)
    }

    fn commit(&mut self, packed: Packed, dest: [u8; 2]) {
        let members = Self::members(&packed);
        for n in &members {
            for value in distinct(&self.code.operations[*n]) {
                self.release(value);
            }
        }
        for channel in channels(packed.results) {
            let Some(member) = packed.members[channel] else { continue };
            let Some(value) = self.result(member.operation) else { continue };
            let register = dest[channel / 3];
            if self.left[value] > 0 && self.places[value].is_none() {
                self.places[value] = Some((register, channel as u8));
                self.held[register as usize][channel] = Some(value);
            }
            if let Some((group, _)) = self.code.values[value].group
                && self.registers[group].is_none()
            {
                self.registers[group] = Some(register);
                self.claims[register as usize] += u32::from(self.waiting[group]);
            }
        }
        for n in members {
            if let Some((group, _)) = self.group(n) {
                self.waiting[group] = self.waiting[group].saturating_sub(1);
                if let Some(register) = self.registers[group] {
                    let claims = &mut self.claims[register as usize];
                    *claims = claims.saturating_sub(1);
                }
            }
            self.finish(n);
        }
        self.slots.push(Slot::Alu(Box::new(packed), dest));
    }

    /// Makes an operation simpler whose operands do not reach it.
    fn split(&mut self, n: usize) -> Result<(), Failure> {
        let operands = self.code.operations[n].operands.clone();
        let found = operands.iter().find_map(|operand| match operand.source {
            Source::Presub(presub, atoms) => Some((presub, atoms)),
            Source::Atom(_) => None,
        });
        let Some((presub, atoms)) = found else {
            return match self.code.operations[n].does {
                Does::Dot(_) => self.expand(n),
                Does::Lane(_) | Does::Fetch(_) | Does::Kill => Err(Failure::Registers(n)),
            };
        };
        let atom = |atom, neg| Operand { source: Source::Atom(atom), neg, abs: false };
        let one = Operand::literal(1.0);
        let inputs = match presub {
            Presub::Bias => vec![atom(atoms[0], false), Operand::literal(-2.0), one],
            Presub::Inv => vec![atom(atoms[0], true), one, one],
            Presub::Sub => vec![atom(atoms[1], false), one, atom(atoms[0], true)],
            Presub::Add => vec![atom(atoms[0], false), one, atom(atoms[1], false)],
        };
        let value = self.insert(Does::Lane(AluOp::Mad), inputs, n);
        // All that are not done use it.
        let same = Source::Presub(presub, atoms);
        for user in 0..self.code.operations.len() {
            let waits = self.needs[user] != DONE;
            if waits
                && self.code.operations[user].operands.iter().any(|operand| operand.source == same)
            {
                self.replace(user, |operands| {
                    for operand in operands.iter_mut().filter(|operand| operand.source == same) {
                        operand.source = Source::Atom(Atom::Value(value));
                    }
                });
            }
        }
        Ok(())
    }

    /// A dot product as products and sums.
    fn expand(&mut self, n: usize) -> Result<(), Failure> {
        let operands = self.code.operations[n].operands.clone();
        let pairs: Vec<&[Operand]> = operands
            .chunks(2)
            .filter(|pair| pair.iter().all(|operand| *operand != Operand::literal(0.0)))
            .collect();
        let mut sum = Operand::literal(if self.precise { -0.0 } else { 0.0 });
        let Some((last, first)) = pairs.split_last() else { return Err(Failure::Registers(n)) };
        for pair in first {
            let value = self.insert(Does::Lane(AluOp::Mad), vec![pair[0], pair[1], sum], n);
            sum = Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false };
        }
        let last = vec![last[0], last[1], sum];
        self.code.operations[n].does = Does::Lane(AluOp::Mad);
        self.replace(n, |operands| *operands = last);
        Ok(())
    }

    /// Adds an operation for another one.
    fn insert(&mut self, does: Does, operands: Vec<Operand>, user: usize) -> ValueId {
        let n = self.code.operations.len();
        let value = self.code.values.len();
        self.code.values.push(Value { made: Some(n), ..Value::default() });
        let origin = self.code.operations[user].origin;
        self.code.operations.push(Operation {
            does,
            operands,
            omod: Omod::X1,
            clamp: false,
            out: None,
            results: vec![Some(value)],
            origin,
        });
        self.places.push(None);
        self.left.push(0);
        self.users.push(Vec::new());
        self.height.push(self.height[user] + 1);
        self.needs.push(0);
        self.remaining += 1;
        for value in distinct(&self.code.operations[n]) {
            self.left[value] += 1;
        }
        self.link(n);
        value
    }

    /// Changes the operands of an operation that is not done.
    fn replace(&mut self, n: usize, change: impl FnOnce(&mut Vec<Operand>)) {
        let before = distinct(&self.code.operations[n]);
        change(&mut self.code.operations[n].operands);
        let after = distinct(&self.code.operations[n]);
        for value in &after {
            self.left[*value] += 1;
        }
        for value in before {
            self.release(value);
        }
        self.link(n);
    }

    /// Counts anew what an operation waits for.
    fn link(&mut self, n: usize) {
        let mut makers: Vec<usize> = distinct(&self.code.operations[n])
            .into_iter()
            .filter_map(|value| self.made(value))
            .filter(|maker| self.needs[*maker] != DONE)
            .collect();
        makers.sort_unstable();
        makers.dedup();
        self.needs[n] = makers.len();
        for maker in makers {
            if !self.users[maker].contains(&n) {
                self.users[maker].push(n);
            }
        }
        // A maker may be listed without being read any more.
        for maker in 0..self.users.len() {
            if maker != n && self.users[maker].contains(&n) {
                let read = distinct(&self.code.operations[n])
                    .iter()
                    .any(|value| self.made(*value) == Some(maker));
                if !read {
                    self.users[maker].retain(|user| *user != n);
                }
            }
        }
        self.ready.retain(|other| *other != n);
        if self.needs[n] == 0 {
            self.ready.push(n);
        }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy { patience: 2, together: true, width: 3 }
    }
}
