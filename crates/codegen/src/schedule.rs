//! The order of instructions, and the registers: list scheduling, block by block, that fills the lanes of each instruction.
//!
//! A register is chosen when a value is made, by its group; a channel is free again after the last read.

mod lanes;
mod priority;
mod rewrite;

use crate::code::{Code, Does, Operation, Value, ValueId};
use crate::flow::{BlockId, Control};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use crate::pack::{Packed, Packer, TempChannel};
use arrayvec::ArrayVec;
use ctm_base::work::Work;
use ctm_isa::isa::{ALPHA, MAX_INSTRUCTIONS, RGB, TEMPORARIES, channels};
use rustc_hash::FxHashMap;

/// An instruction.
#[derive(Clone, Debug)]
pub enum Slot {
    /// Arithmetic, with the destinations of the units.
    Alu(Box<Packed>, [u8; 2]),
    /// A fetch, with its destination.
    Fetch(usize, u8),
    /// Ends points.
    Kill(Vec<usize>),
    /// The end of a block.
    Flow(BlockId),
}

impl Slot {
    /// The operations of an instruction, each once, in ascending order.
    pub fn operations(&self) -> Vec<usize> {
        match self {
            Slot::Alu(packed, _) => Scheduler::members(packed).to_vec(),
            Slot::Fetch(n, _) => vec![*n],
            Slot::Kill(all) => all.clone(),
            Slot::Flow(_) => Vec::new(),
        }
    }

    /// The source position of an instruction: its first operation in the source.
    pub fn origin(&self, code: &Code) -> u32 {
        let of = |n: &usize| code.operations[*n].origin;
        match self {
            Slot::Alu(packed, _) => {
                let members = packed.members.iter().flatten();
                let origins = members.map(|member| of(&member.operation));
                origins.filter(|origin| *origin > 0).min().unwrap_or(0)
            }
            Slot::Fetch(n, _) => of(n),
            Slot::Kill(operations) => operations.first().map_or(0, of),
            Slot::Flow(block) => code.ends[*block].origin,
        }
    }
}

/// A program before it is encoded.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The instructions.
    pub slots: Vec<Slot>,
    /// The operations.
    pub code: Code,
    /// The register and channel of each value while it lives.
    pub places: Vec<Option<TempChannel>>,
    /// The temporary of each varying.
    pub inputs: Vec<(u32, u8)>,
}

/// The rules for the choice of the next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The height by which operations are delayed that can share an instruction with a later one of their group.
    pub delay: u32,
    /// Members of a group stay in one register.
    pub affinity: bool,
    /// The number of operations that are tried as the first of an instruction.
    pub width: usize,
    /// Operations that free registers come first, then those that the source has first; fetches wait.
    pub frugal: bool,
}

struct Scheduler<'a> {
    ir: &'a Ir,
    code: Code,
    places: Vec<Option<TempChannel>>,
    /// The value in each channel of each temporary.
    register_file: [[Option<ValueId>; 4]; TEMPORARIES],
    /// The operations that still read a value.
    remaining_uses: Vec<usize>,
    /// The register of each group, and the members without one.
    registers: Vec<Option<u8>>,
    unplaced: Vec<u8>,
    /// The members of groups that each register waits for.
    reservations: [u32; TEMPORARIES],
    /// The same of groups that must be together: there is always room for these.
    strict_reservations: [usize; TEMPORARIES],
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
    /// The block that is scheduled.
    block: BlockId,
    /// Values that each block's loop reads again: they are free after it.
    live_through: Vec<Vec<ValueId>>,
}

const DONE: usize = usize::MAX;

/// The name of this pass.
const PASS: &str = "schedule";

/// The work of an instruction, and that of an operation that could be in it.
const INSTRUCTION: usize = 1000;
const READY: usize = 20;

/// Most values that an operation reads: both of each presubtract of a dot product of four pairs.
const MAX_READ: usize = 16;

/// Operations that are tried as companions of the first.
const MAX_TRIED: usize = 32;

/// Schedules operations. `offsets` are added to the heights of operations.
pub fn schedule(
    ir: &Ir,
    mut code: Code,
    strategy: Strategy,
    offsets: &[i8],
    work: &Work<'_>,
) -> Result<Schedule, Exceeded> {
    // Stands for the values of variables in their channels.
    let variable = code.values.len();
    code.values.push(Value::default());
    let (values, groups, operations) =
        (code.values.len(), code.groups.len(), code.operations.len());
    let unplaced = code.groups.iter().map(|group| group.members).collect();
    let mut this = Scheduler {
        ir,
        code,
        places: vec![None; values],
        register_file: [[None; 4]; TEMPORARIES],
        remaining_uses: vec![0; values],
        registers: vec![None; groups],
        unplaced,
        reservations: [0; TEMPORARIES],
        strict_reservations: [0; TEMPORARIES],
        kills: 0,
        needs: vec![0; operations],
        users: vec![Vec::new(); operations],
        height: vec![0; operations],
        ready: Vec::new(),
        remaining: 0,
        slots: Vec::new(),
        strategy,
        block: 0,
        live_through: Vec::new(),
    };
    this.prepare();
    for (height, offset) in this.height.iter_mut().zip(offsets) {
        *height = height.saturating_add_signed((*offset).into());
    }
    let inputs = this.inputs()?;
    let first = inputs.iter().map(|(_, temp)| usize::from(*temp) + 1).max().unwrap_or(0);
    this.variables(first, variable)?;
    let spend = |this: &Scheduler<'_>, units| {
        let last = this.slots.last().map_or(0, |slot| slot.origin(&this.code));
        work.spend(PASS, units).map_err(|why| Limit::Work(why).at(last))
    };
    for block in 0..this.code.ends.len() {
        spend(&this, operations)?;
        this.start(block);
        while this.remaining > 0 {
            spend(&this, INSTRUCTION + READY * this.ready.len())?;
            this.step()?;
            this.fits()?;
        }
        this.stop();
        this.fits()?;
    }
    Ok(Schedule { slots: this.slots, code: this.code, places: this.places, inputs })
}

/// The values that an operation reads, each once.
fn distinct(operation: &Operation) -> ArrayVec<ValueId, MAX_READ> {
    let mut values = ArrayVec::new();
    for value in operation.reads() {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

impl Scheduler<'_> {
    fn made(&self, value: ValueId) -> Option<usize> {
        self.code.values[value].made
    }

    /// The operations that must be done before an operation, each once.
    fn before(&self, n: usize) -> Vec<usize> {
        let operation = &self.code.operations[n];
        let mut before: Vec<usize> =
            operation.reads().filter_map(|value| self.made(value)).collect();
        before.extend(&operation.after);
        before.sort_unstable();
        before.dedup();
        before
    }

    /// The channel of the variable that takes an operation's result.
    fn fixed(&self, n: usize) -> Option<TempChannel> {
        let value = self.code.operations[n].result()?;
        self.code.values[value].fixed?;
        self.places[value]
    }

    /// Counts users; leaves out what has no effect.
    fn prepare(&mut self) {
        let count = self.code.operations.len();
        let mut live = vec![false; count];
        let mut open: Vec<usize> = (0..count)
            .filter(|n| {
                let operation = &self.code.operations[*n];
                let fixed =
                    operation.result().is_some_and(|value| self.code.values[value].fixed.is_some());
                let effect = matches!(operation.does, Does::Kill | Does::Write);
                operation.out.is_some() || effect || operation.test || fixed
            })
            .collect();
        while let Some(n) = open.pop() {
            if std::mem::replace(&mut live[n], true) {
                continue;
            }
            for value in distinct(&self.code.operations[n]) {
                self.remaining_uses[value] += 1;
                open.extend(self.made(value));
            }
        }
        // A group waits only for what is made.
        for value in &self.code.values {
            if let (Some((group, _)), Some(made)) = (value.group, value.made)
                && !live[made]
            {
                self.unplaced[group] -= 1;
            }
        }
        for n in 0..count {
            if !live[n] {
                self.needs[n] = DONE;
                continue;
            }
            let before: Vec<usize> =
                self.before(n).into_iter().filter(|before| live[*before]).collect();
            self.needs[n] = before.len();
            for other in before {
                self.users[other].push(n);
            }
        }
        self.extend_over_loops(&live);
        for n in (0..count).rev() {
            let weight = if matches!(self.code.operations[n].does, Does::Fetch(_)) { 3 } else { 1 };
            let above = self.users[n].iter().map(|user| self.height[*user]).max().unwrap_or(0);
            self.height[n] = above + weight;
        }
    }

    /// Keeps what a loop reads, and does not make, until its end.
    fn extend_over_loops(&mut self, live: &[bool]) {
        self.live_through = vec![Vec::new(); self.code.ends.len()];
        for (n, operation) in self.code.operations.iter().enumerate() {
            if !live[n] {
                continue;
            }
            for value in distinct(operation) {
                let made = self.made(value).map_or(0, |made| self.code.operations[made].block);
                let inside =
                    |(first, last): &(BlockId, BlockId), block| (*first..=*last).contains(&block);
                let around = self
                    .code
                    .loops
                    .iter()
                    .filter(|range| inside(range, operation.block) && !inside(range, made));
                if let Some((_, last)) = around.max_by_key(|(_, last)| *last)
                    && !self.live_through[*last].contains(&value)
                {
                    self.live_through[*last].push(value);
                    self.remaining_uses[value] += 1;
                }
            }
        }
    }

    /// Reserves the registers of variables, from this one on.
    fn variables(&mut self, first: usize, variable: ValueId) -> Result<(), Exceeded> {
        let last = first + self.code.registers;
        if last > TEMPORARIES {
            return Err(Limit::Temporaries.at(self.code.crowded));
        }
        self.remaining_uses[variable] = usize::MAX;
        for register in &mut self.register_file[first..last] {
            *register = [Some(variable); 4];
        }
        for (value, place) in self.code.values.iter().zip(&mut self.places) {
            if let Some((register, channel)) = value.fixed {
                *place = Some((register + first as u8, channel));
            }
        }
        Ok(())
    }

    /// Whether the machine has room for the instructions so far, and for the one that ends a program without an output.
    fn fits(&self) -> Result<(), Exceeded> {
        let output = |n: &usize| {
            let operation = &self.code.operations[*n];
            operation.out.is_some() || operation.does == Does::Write
        };
        let ends = match self.slots.last() {
            Some(Slot::Alu(packed, _)) => Self::members(packed).iter().any(output),
            Some(Slot::Fetch(..) | Slot::Kill(_) | Slot::Flow(_)) | None => false,
        };
        if self.slots.len() + usize::from(!ends) <= MAX_INSTRUCTIONS {
            return Ok(());
        }
        Err(Limit::Instructions.at(self.slots.last().map_or(0, |slot| slot.origin(&self.code))))
    }

    /// The source position of an operation.
    fn origin(&self, n: usize) -> u32 {
        self.code.operations.get(n).map_or(0, |operation| operation.origin)
    }

    fn start(&mut self, block: BlockId) {
        self.block = block;
        let here = |n: &usize| self.code.operations[*n].block == block && self.needs[*n] != DONE;
        let all: Vec<usize> = (0..self.code.operations.len()).filter(here).collect();
        self.remaining = all.len();
        let kill = |n: &&usize| self.code.operations[**n].does == Does::Kill;
        self.kills = all.iter().filter(kill).count();
        self.ready = all.into_iter().filter(|n| self.needs[*n] == 0).collect();
    }

    fn stop(&mut self) {
        if self.code.ends[self.block].end != Control::Next {
            self.slots.push(Slot::Flow(self.block));
        }
        for value in std::mem::take(&mut self.live_through[self.block]) {
            self.release(value);
        }
    }

    /// Gives temporaries to varyings, in their order unless they are bound.
    fn inputs(&mut self) -> Result<Vec<(u32, u8)>, Exceeded> {
        let read = self.code.values.iter().zip(&self.remaining_uses).filter(|(_, left)| **left > 0);
        let mut slots: Vec<u32> = read.filter_map(|(value, _)| Some(value.input?.0)).collect();
        slots.sort_unstable();
        slots.dedup();
        if let Some(slot) = slots.get(TEMPORARIES) {
            let late =
                |value: ValueId| self.code.values[value].input.is_some_and(|(n, _)| n == *slot);
            let reader = self.code.operations.iter().position(|one| one.reads().any(late));
            return Err(Limit::Temporaries.at(reader.map_or(0, |reader| self.origin(reader))));
        }
        let bound = self.ir.registers.is_some();
        for (n, value) in self.code.values.iter().enumerate() {
            if let Some((slot, channel)) = value.input
                && let Ok(nth) = slots.binary_search(&slot)
                && self.remaining_uses[n] > 0
            {
                let register = if bound { slot as usize } else { nth };
                self.places[n] = Some((register as u8, channel));
                self.register_file[register][channel as usize] = Some(n);
            }
        }
        let temp = |(nth, slot): (u8, u32)| (slot, if bound { slot as u8 } else { nth });
        Ok((0..).zip(slots).map(temp).collect())
    }

    fn step(&mut self) -> Result<(), Exceeded> {
        let (mut fetches, mut kills, mut arithmetic) = (Vec::new(), Vec::new(), Vec::new());
        for n in self.ready.iter().copied() {
            match self.code.operations[n].does {
                Does::Fetch(_) => fetches.push(n),
                Does::Kill => kills.push(n),
                Does::Lane(_) | Does::Dot(_) | Does::Write => arithmetic.push(n),
            }
        }
        let empty = self
            .register_file
            .iter()
            .filter(|register| register.iter().all(Option::is_none))
            .count();
        let frugal = self.strategy.frugal;
        let early = empty > 24 && !frugal;
        let key = |n: &usize| if frugal { self.freed(*n) } else { self.height[*n].into() };
        let fetch = fetches.into_iter().max_by_key(|n| (key(n), usize::MAX - n));
        if let Some(fetch) = fetch
            && (early || arithmetic.is_empty())
        {
            return self.fetch(fetch);
        }
        if !kills.is_empty() && (kills.len() == self.kills || arithmetic.is_empty()) {
            self.kill(&kills);
            return Ok(());
        }
        if arithmetic.is_empty() {
            let first = self.ready.first().map_or(0, |n| self.origin(*n));
            return Err(Limit::Temporaries.at(first));
        }
        self.arithmetic(arithmetic)
    }

    fn fetch(&mut self, n: usize) -> Result<(), Exceeded> {
        let results = self.code.operations[n].results.clone();
        let wanted: Vec<usize> = (0..4)
            .filter(|channel| results[*channel].is_some_and(|value| self.remaining_uses[value] > 0))
            .collect();
        for value in distinct(&self.code.operations[n]) {
            self.release(value);
        }
        let free = |this: &Self, register: usize| {
            wanted.iter().all(|channel| this.register_file[register][*channel].is_none())
        };
        let empty =
            |this: &Self, register: usize| this.register_file[register].iter().all(Option::is_none);
        let register = (0..TEMPORARIES)
            .find(|register| empty(self, *register) && !self.reserved(*register))
            .or_else(|| (0..TEMPORARIES).find(|register| free(self, *register)))
            .ok_or(Limit::Temporaries.at(self.origin(n)))?;
        for channel in wanted {
            if let Some(value) = results[channel] {
                self.places[value] = Some((register as u8, channel as u8));
                self.register_file[register][channel] = Some(value);
            }
        }
        self.slots.push(Slot::Fetch(n, register as u8));
        self.finish(n);
        Ok(())
    }

    fn kill(&mut self, ready: &[usize]) {
        let register = |this: &Self, n: usize| {
            let value = this.code.operations[n].reads().next()?;
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
        self.reservations[register] > 0
    }

    /// One read fewer.
    fn release(&mut self, value: ValueId) {
        self.remaining_uses[value] = self.remaining_uses[value].saturating_sub(1);
        if self.remaining_uses[value] == 0
            && let Some((register, channel)) = self.places[value]
            && self.register_file[register as usize][channel as usize] == Some(value)
        {
            self.register_file[register as usize][channel as usize] = None;
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
                if self.needs[user] == 0 && self.code.operations[user].block == self.block {
                    self.ready.push(user);
                }
            }
        }
    }

    fn result(&self, n: usize) -> Option<ValueId> {
        self.code.operations[n].result()
    }

    fn group(&self, n: usize) -> Option<(usize, u8)> {
        self.code.values[self.result(n)?].group
    }

    fn arithmetic(&mut self, mut ready: Vec<usize>) -> Result<(), Exceeded> {
        let mut grouped: FxHashMap<usize, u8> = FxHashMap::default();
        for (group, _) in ready.iter().filter_map(|n| self.group(*n)) {
            *grouped.entry(group).or_default() += 1;
        }
        let mut keys: Vec<_> = ready.iter().map(|n| (self.urgency(*n, &grouped), *n)).collect();
        keys.sort_by(|a, b| b.cmp(a));
        ready = keys.into_iter().map(|(_, n)| n).collect();
        if self.strategy.frugal {
            let of = |n: usize| self.group(n).map(|(group, _)| group);
            let (lead, group) = (ready[0], of(ready[0]));
            let with = |n: usize| group.is_some() && of(n) == group;
            ready.retain(|n| *n == lead || with(*n) || self.freed(*n) >= 0);
        }
        let packer = Packer {
            operations: &self.code.operations,
            places: &self.places,
            precise: self.ir.graph.precise(),
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

    /// The operations of an instruction, each once.
    fn members(packed: &Packed) -> ArrayVec<usize, 4> {
        let mut members = ArrayVec::new();
        for member in packed.members.iter().flatten() {
            if !members.contains(&member.operation) {
                members.push(member.operation);
            }
        }
        members.sort_unstable();
        members
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
            if self.remaining_uses[value] > 0 && self.places[value].is_none() {
                self.places[value] = Some((register, channel as u8));
                self.register_file[register as usize][channel] = Some(value);
            }
            if let Some((group, _)) = self.code.values[value].group
                && self.registers[group].is_none()
            {
                self.registers[group] = Some(register);
                self.reservations[register as usize] += u32::from(self.unplaced[group]);
                if self.code.groups[group].strict {
                    self.strict_reservations[register as usize] +=
                        usize::from(self.unplaced[group]);
                }
            }
        }
        for n in members {
            if let Some((group, _)) = self.group(n) {
                self.unplaced[group] = self.unplaced[group].saturating_sub(1);
                if let Some(register) = self.registers[group] {
                    let reservations = &mut self.reservations[register as usize];
                    *reservations = reservations.saturating_sub(1);
                    if self.code.groups[group].strict {
                        let rooms = &mut self.strict_reservations[register as usize];
                        *rooms = rooms.saturating_sub(1);
                    }
                }
            }
            self.finish(n);
        }
        self.slots.push(Slot::Alu(Box::new(packed), dest));
    }
}
