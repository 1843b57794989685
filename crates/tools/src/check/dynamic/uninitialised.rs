//! Temporaries, predicates and ALU results that are used before they are written.
//!
//! Every register channel of every slot is defined or not: one mask of slots for each channel.
//! Undefined ones have a [`Tag`] that says where the value comes from. Copies and arithmetic pass
//! it on; a mistake is reported where such a value has an effect: where it decides a branch, an
//! address, a kill or a write, or leaves the point.

use super::Setting;
use super::cause::{Cause, Missed, cause};
use super::hits::Hits;
use super::needed::{needed, undefined_at_start};
use super::reads::expected_outputs;
use super::tags::{FRESH, Tag, Tags, Way};
use ctm_isa::float;
use ctm_isa::isa::{
    Access, Alu, AluOp, Body, Common, Fc, FieldValue, Instruction, Place, Read, Register,
    TEMPORARIES, Tex, TexOp, To, Whose, Write, channels,
};
use ctm_machine::engine::groups::{SLOTS, slots};
use ctm_machine::engine::reference::{GroupState, LaneResult};
use ctm_machine::launch::{FloatMode, Location};

/// Where an undefined value has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It decides a branch.
    Branch,
    /// It is the coordinate of a fetch.
    Address,
    /// It decides whether the point is killed.
    Kill,
    /// It is written to memory.
    Output,
    /// It is the value or the place of an uncached write, or decides it.
    Uncached,
    /// It is written to a global register, or decides such a write.
    Global,
    /// It is the point's own conditional value.
    Condition,
}

/// What makes two uses of undefined values the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instruction at which the value has its effect.
    pub pc: u32,
    /// The effect.
    pub effect: Effect,
    /// The unwritten register, without its channel.
    pub origin: Place,
}

/// The first point's use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// From the register to the effect.
    pub way: Way,
    /// Why the register was not written.
    pub cause: Cause,
}

/// One register channel of all slots.
#[derive(Clone)]
struct Cell {
    place: Place,
    undefined: u64,
    /// Valid where undefined.
    tags: [Tag; SLOTS],
}

impl Cell {
    fn new(place: Place) -> Cell {
        Cell { place, undefined: 0, tags: [FRESH; SLOTS] }
    }

    /// A write of defined or undefined values to the slots `lanes`: those in `undefined` get the
    /// tags of `from`, passed on by the instruction at `pc`.
    fn write(&mut self, tags: &mut Tags, pc: u32, lanes: u64, undefined: u64, from: &[Tag; SLOTS]) {
        self.undefined = self.undefined & !lanes | undefined & lanes;
        for slot in slots(undefined & lanes) {
            self.tags[slot] = tags.passed(pc, self.place, from[slot]);
        }
    }
}

/// The undefined values of one channel of a result.
struct Values {
    undefined: u64,
    tags: [Tag; SLOTS],
}

/// The slots in which the predicates let each channel be written, and those in which they are
/// undefined.
struct Gate {
    on: u64,
    undefined: u64,
    predicate: usize,
}

/// The check.
pub struct Uninitialised<'a> {
    setting: &'a Setting<'a>,
    /// Channels that start undefined, for each temporary.
    start: [u8; TEMPORARIES],
    temps: Vec<[Cell; 4]>,
    predicates: [Cell; 4],
    alu_result: Cell,
    outputs: Vec<[Cell; 4]>,
    own_value: Cell,
    missed: Missed,
    dropped: u64,
    tags: Tags,
    values: [Values; 4],
    /// Uses of temporaries.
    pub hits: Hits<Key, Detail>,
    /// Uses of predicates and ALU results.
    pub of_predicates: Hits<Key, Detail>,
}

impl<'a> Uninitialised<'a> {
    /// The check of a launch; `None` if the program reads nothing undefined on any path.
    pub fn new(setting: &'a Setting<'a>) -> Option<Uninitialised<'a>> {
        let start = undefined_at_start(setting);
        if !needed(setting, &start) {
            return None;
        }
        let cells =
            |place: fn(usize, usize) -> Place, n| [0, 1, 2, 3].map(|c| Cell::new(place(n, c)));
        Some(Uninitialised {
            setting,
            start,
            temps: (0..TEMPORARIES).map(|n| cells(Place::Temp, n)).collect(),
            predicates: cells(|_, channel| Place::Predicate(channel), 0),
            alu_result: Cell::new(Place::AluResult),
            outputs: (0..4).map(|n| cells(Place::Output, n)).collect(),
            own_value: Cell::new(Place::Own),
            missed: Missed::new(&setting.launch.program),
            dropped: 0,
            tags: Tags::new(),
            values: [(); 4].map(|()| Values { undefined: 0, tags: [FRESH; SLOTS] }),
            hits: Hits::new(setting.number),
            of_predicates: Hits::new(setting.number),
        })
    }

    pub fn group_begin(&mut self) {
        for (cells, start) in self.temps.iter_mut().zip(&self.start) {
            for (n, cell) in cells.iter_mut().enumerate() {
                cell.undefined = if start >> n & 1 != 0 { u64::MAX } else { 0 };
                if cell.undefined != 0 {
                    cell.tags = [FRESH; SLOTS];
                }
            }
        }
        for cell in self.predicates.iter_mut().chain([&mut self.alu_result]) {
            cell.undefined = u64::MAX;
            cell.tags = [FRESH; SLOTS];
        }
        for cell in self.outputs.iter_mut().flatten().chain([&mut self.own_value]) {
            cell.undefined = 0;
        }
        self.missed.clear();
        self.tags.clear();
        self.dropped = 0;
    }

    pub fn dropped(&mut self, slot: usize) {
        self.dropped |= 1 << slot;
    }

    /// TEX and FC, before they run.
    pub fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        let common = &instruction.common;
        match &instruction.body {
            Body::Alu(_) => {}
            Body::Tex(tex) if tex.op == TexOp::Texkill => self.kill(group, tex),
            Body::Tex(tex) if tex.op.fetches() && common.wmask != 0 => {
                self.fetch(group, common, tex);
            }
            Body::Tex(_) => {}
            Body::Fc(fc) => self.flow(group, common, fc),
        }
    }

    /// Reports the uses of one execution: slots and the tags of the values that have the effect. An
    /// output's mistake is at the instruction that wrote it, all others are at the running one.
    fn effect(&mut self, group: &GroupState, effect: Effect, uses: &[(usize, Tag)]) {
        let Uninitialised { tags, hits, of_predicates, missed, setting, .. } = self;
        let key = |tag: Tag| {
            let pc = match effect {
                Effect::Output | Effect::Condition => tags.last(tag),
                _ => None,
            };
            Key { pc: pc.unwrap_or(group.pc()), effect, origin: tags.origin(tag).whole() }
        };
        let mut found: Vec<(Key, u64, u8)> = Vec::new();
        for &(slot, tag) in uses {
            let key = key(tag);
            let channel = tags.origin(tag).channel().map_or(0, |channel| 1 << channel);
            match found.iter_mut().find(|(known, ..)| *known == key) {
                Some((_, lanes, channels)) => {
                    *lanes |= 1 << slot;
                    *channels |= channel;
                }
                None => found.push((key, 1 << slot, channel)),
            }
        }
        for (known, lanes, channels) in found {
            let hits = match known.origin {
                Place::Temp(..) => &mut *hits,
                _ => &mut *of_predicates,
            };
            hits.add(group, lanes, known, channels, |slot| {
                let tag = uses.iter().find(|&&(s, tag)| s == slot && key(tag) == known);
                let way = tags.way(tag.map_or(FRESH, |&(_, tag)| tag));
                let reader = way.chain.first().map_or(known.pc, |&(pc, _)| pc);
                let neighbours =
                    setting.accesses.get(reader as usize).is_some_and(Access::of_neighbours);
                let lanes = match neighbours {
                    true => group.quad(slot).into_iter().fold(1 << slot, |all, n| all | 1 << n),
                    false => 1 << slot,
                };
                let cause = cause(&setting.launch.program, missed, &way, known.pc, lanes);
                Detail { way, cause }
            });
        }
    }

    /// The gate of each channel.
    fn gates(&self, group: &GroupState, common: &Common) -> [Gate; 4] {
        let mut channel = 0;
        common.gates().map(|bit| {
            let inverted = common.pred_inv[channel / 3];
            channel += 1;
            let Some(bit) = bit else {
                return Gate { on: u64::MAX, undefined: 0, predicate: 0 };
            };
            let set = (0..SLOTS)
                .fold(0, |mask, slot| mask | u64::from(group.predicates(slot) >> bit & 1) << slot);
            let on = if inverted { !set } else { set };
            Gate { on, undefined: self.predicates[bit].undefined, predicate: bit }
        })
    }

    /// The tags of a predicate's undefined slots.
    fn predicate_tags(&mut self, bit: usize, lanes: u64) -> [Tag; SLOTS] {
        let mut resolved = [FRESH; SLOTS];
        let cell = &self.predicates[bit];
        for slot in slots(cell.undefined & lanes) {
            resolved[slot] = self.tags.of(cell.place, cell.tags[slot]);
        }
        resolved
    }

    fn kill(&mut self, group: &GroupState, tex: &Tex) {
        let temp = group.temp_index(tex.src.addr, tex.src.relative);
        let mut uses = Vec::new();
        let lanes = group.active() & group.covered();
        let kills: fn(u32) -> bool = match self.setting.launch.mode {
            FloatMode::Exact => float::kills,
            FloatMode::Fast => float::fast::kills,
        };
        for slot in slots(lanes) {
            let value = group.temp(slot, temp);
            let channels = tex.src.swizzle.map(|channel| channel.code() as usize);
            let undefined = |n: usize| self.temps[temp][n].undefined >> slot & 1 != 0;
            // A defined channel that kills leaves nothing to decide.
            if channels.iter().any(|&n| !undefined(n) && kills(value[n])) {
                continue;
            }
            for n in channels.into_iter().filter(|&n| undefined(n)) {
                let cell = &self.temps[temp][n];
                uses.push((slot, self.tags.of(cell.place, cell.tags[slot])));
            }
        }
        self.effect(group, Effect::Kill, &uses);
    }

    fn fetch(&mut self, group: &GroupState, common: &Common, tex: &Tex) {
        let mut lanes = if common.write_inactive { u64::MAX } else { group.active() };
        if tex.ignore_uncovered {
            lanes &= group.covered();
        }
        let gates = self.gates(group, common);
        let written = || (0..4).filter(|channel| common.wmask >> channel & 1 != 0);
        let matters =
            written().fold(0, |mask, channel| mask | gates[channel].on | gates[channel].undefined);
        let temp = group.temp_index(tex.src.addr, tex.src.relative);
        let mut uses = Vec::new();
        for n in channels(tex.op.coordinates()) {
            let cell = &self.temps[temp][tex.src.swizzle[n].code() as usize];
            for slot in slots(cell.undefined & lanes & matters & group.covered()) {
                uses.push((slot, self.tags.of(cell.place, cell.tags[slot])));
            }
        }
        self.effect(group, Effect::Address, &uses);
        // What is fetched is defined, wherever it came from: one mistake is enough.
        let dest = group.temp_index(tex.dest, tex.dest_rel);
        for channel in written() {
            self.write(group.pc(), Place::Temp(dest, channel), lanes, &gates, 0);
        }
    }

    /// Writes a result's channel to a register. The channel of the register is the result's. Where
    /// the predicate is undefined, so is the register afterwards.
    fn write(&mut self, pc: u32, place: Place, lanes: u64, gates: &[Gate; 4], undefined: u64) {
        let channel = place.channel().unwrap_or(3);
        let gate = &gates[channel];
        let unsure = lanes & gate.undefined;
        let from = (unsure != 0).then(|| self.predicate_tags(gate.predicate, unsure));
        self.missed.add(pc, channel, lanes & !gate.on & !gate.undefined);
        let cell = match place {
            Place::Temp(n, _) => &mut self.temps[n][channel],
            Place::Output(n, _) => &mut self.outputs[n][channel],
            _ => &mut self.own_value,
        };
        let sure = lanes & gate.on & !gate.undefined;
        cell.write(&mut self.tags, pc, sure, undefined, &self.values[channel].tags);
        if let Some(from) = from {
            cell.write(&mut self.tags, pc, unsure, unsure, &from);
        }
    }

    fn flow(&mut self, group: &GroupState, common: &Common, fc: &Fc) {
        let (alu_result, predicate) = (self.alu_result.undefined, common.gates()[0]);
        let undefined = alu_result | predicate.map_or(0, |bit| self.predicates[bit].undefined);
        let lanes = undefined & group.voters(fc) & group.covered();
        if lanes == 0 {
            return;
        }
        let boolean = self.setting.launch.constants.bool >> fc.bool_addr & 1;
        let mut uses = Vec::new();
        for slot in slots(lanes) {
            let sees = |cell: &Cell| cell.undefined >> slot & 1 != 0;
            let predicate_value = predicate
                .is_none_or(|bit| (group.predicates(slot) >> bit & 1 != 0) != common.pred_inv[0]);
            let (a, p) =
                (sees(&self.alu_result), predicate.filter(|&bit| sees(&self.predicates[bit])));
            let of_result = |p: bool| differ(fc, boolean, [(false, p), (true, p)]);
            let of_predicate = |a: bool| differ(fc, boolean, [(a, false), (a, true)]);
            let either = |both: &dyn Fn(bool) -> bool| both(false) || both(true);
            let by_result = a
                && match p {
                    None => of_result(predicate_value),
                    Some(_) => either(&of_result),
                };
            let by_predicate = p.filter(|_| match a {
                false => of_predicate(group.alu_result(slot)),
                true => either(&of_predicate),
            });
            let cells = [
                by_result.then_some(&self.alu_result),
                by_predicate.map(|bit| &self.predicates[bit]),
            ];
            for cell in cells.into_iter().flatten() {
                uses.push((slot, self.tags.of(cell.place, cell.tags[slot])));
            }
        }
        self.effect(group, Effect::Branch, &uses);
    }

    /// ALU and OUT, before they write.
    pub fn computed(
        &mut self,
        group: &GroupState,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        let pc = group.pc();
        let Some(alu) = instruction.alu() else { return };
        let access = &self.setting.accesses[pc as usize];
        let common = &instruction.common;
        let lanes = if common.write_inactive { u64::MAX } else { group.active() };
        for channel in 0..4 {
            self.result(group, alu, &access.reads[channel], channel, lanes, results);
        }
        let gates = self.gates(group, common);
        let undefined = [0, 1, 2, 3].map(|channel: usize| self.values[channel].undefined);
        // These read the gates, so they come before the instruction's own predicates.
        let writes = access.writes.iter();
        if writes.clone().any(|write| write.to == To::Uncached) {
            self.uncached(group, lanes, &gates);
        }
        let global = |write: &&Write| matches!(write.to, To::Register(Register::Global(..)));
        let global = writes.filter(global).fold(0, |mask, write| mask | 1 << write.channel);
        self.shared(group, global, &gates);
        for write in &access.writes {
            let (channel, values) = (write.channel, &self.values[write.channel]);
            let cell = match group.write(0, write) {
                Some(place @ (Place::Temp(..) | Place::Output(..) | Place::Own)) => {
                    self.write(pc, place, lanes, &gates, undefined[channel]);
                    continue;
                }
                Some(Place::Predicate(n)) => &mut self.predicates[n],
                Some(Place::AluResult) => &mut self.alu_result,
                Some(Place::Global(..) | Place::Constant(..) | Place::Texel(_)) | None => continue,
            };
            cell.write(&mut self.tags, pc, lanes, values.undefined, &values.tags);
        }
    }

    /// Finds the undefined slots of a channel's result.
    fn result(
        &mut self,
        group: &GroupState,
        alu: &Alu,
        operands: &[Read],
        channel: usize,
        lanes: u64,
        results: &[Option<LaneResult>],
    ) {
        self.values[channel].undefined = 0;
        let any = operands.iter().fold(0, |any, read| any | self.undefined(group, read, lanes));
        if any == 0 {
            return;
        }
        let op = alu.unit_of(channel).op;
        if !matches!(op, AluOp::Cnd | AluOp::Cmp) {
            for read in operands {
                self.take(group, read, channel, lanes);
            }
            return;
        }
        // Selects pass on the condition and what they chose.
        let chose_a = slots(any)
            .filter(|&slot| {
                let c = results[slot].map_or(0, |result| result.inputs[2][channel]);
                let choose = if op == AluOp::Cnd { float::cnd } else { float::cmp };
                choose(1, 0, c) == 1
            })
            .fold(0, |mask, slot| mask | 1 << slot);
        for (input, mask) in [(2, lanes), (0, chose_a), (1, !chose_a)] {
            for read in operands.iter().filter(|read| read.input == input) {
                self.take(group, read, channel, lanes & mask);
            }
        }
    }

    /// The slots among `lanes` for which an operand is undefined.
    fn undefined(&self, group: &GroupState, read: &Read, lanes: u64) -> u64 {
        let Some(Register::Temp(n, relative)) = read.register else {
            return 0;
        };
        let temp = group.temp_index(n, relative);
        let undefined = self.temps[temp][read.channel].undefined;
        match read.whose {
            Whose::Own => undefined & lanes,
            Whose::Quad(_) if undefined == 0 => 0,
            Whose::Quad(n) => slots(lanes)
                .filter(|&slot| undefined >> group.quad(slot)[n] & 1 != 0)
                .fold(0, |mask, slot| mask | 1 << slot),
        }
    }

    /// Adds an operand's undefined slots to a result, where no operand before made it undefined.
    fn take(&mut self, group: &GroupState, read: &Read, channel: usize, lanes: u64) {
        let new = self.undefined(group, read, lanes) & !self.values[channel].undefined;
        let Some(Register::Temp(n, relative)) = read.register else {
            return;
        };
        let cell = &self.temps[group.temp_index(n, relative)][read.channel];
        for slot in slots(new) {
            let from = match read.whose {
                Whose::Own => slot,
                Whose::Quad(n) => group.quad(slot)[n],
            };
            self.values[channel].tags[slot] = self.tags.of(cell.place, cell.tags[from]);
        }
        self.values[channel].undefined |= new;
    }

    fn uncached(&mut self, group: &GroupState, lanes: u64, gates: &[Gate; 4]) {
        let launch = self.setting.launch;
        if launch.outputs[0].is_none() || launch.out_mask & 1 == 0 {
            return;
        }
        let lanes = lanes & group.covered();
        let mut uses = Vec::new();
        // A predicate that is off for certain leaves nothing to decide.
        let possible = gates.iter().fold(lanes, |mask, gate| mask & (gate.on | gate.undefined));
        for gate in gates.iter().filter(|gate| possible & gate.undefined != 0) {
            let cell = &self.predicates[gate.predicate];
            for slot in slots(possible & gate.undefined) {
                uses.push((slot, self.tags.of(cell.place, cell.tags[slot])));
            }
        }
        for values in &self.values {
            uses.extend(slots(values.undefined & possible).map(|slot| (slot, values.tags[slot])));
        }
        self.effect(group, Effect::Uncached, &uses);
    }

    /// A write to channels of global registers, by the active covered points. Other groups and later
    /// launches read it, so it counts as defined from here on: one mistake is enough.
    fn shared(&mut self, group: &GroupState, channels: u8, gates: &[Gate; 4]) {
        let lanes = group.active() & group.covered();
        let mut uses = Vec::new();
        for channel in (0..4).filter(|channel| channels >> channel & 1 != 0) {
            let gate = &gates[channel];
            let unsure = lanes & gate.undefined;
            if unsure != 0 {
                let tags = self.predicate_tags(gate.predicate, unsure);
                uses.extend(slots(unsure).map(|slot| (slot, tags[slot])));
            }
            let values = &self.values[channel];
            let written = values.undefined & lanes & (gate.on | gate.undefined);
            uses.extend(slots(written).map(|slot| (slot, values.tags[slot])));
        }
        self.effect(group, Effect::Global, &uses);
    }

    /// The end of a group that did not fault: what its points write.
    pub fn group_end(&mut self, group: &GroupState) {
        let launch = self.setting.launch;
        let writes = group.covered() & !self.dropped;
        let mut uses = Vec::new();
        for (n, channels) in expected_outputs(launch).into_iter().enumerate() {
            for (channel, cell) in self.outputs[n].iter().enumerate() {
                if channels >> channel & 1 != 0 {
                    let undefined = slots(cell.undefined & writes);
                    uses.extend(undefined.map(|slot| (slot, cell.tags[slot])));
                }
            }
        }
        self.effect(group, Effect::Output, &uses);
        let condition = &launch.condition;
        if condition.location == Location::Dpp && condition.touched().is_some() {
            let cell = &self.own_value;
            let undefined = slots(cell.undefined & group.covered());
            let uses: Vec<_> = undefined.map(|slot| (slot, cell.tags[slot])).collect();
            self.effect(group, Effect::Condition, &uses);
        }
    }
}

/// Whether a truth table has two different values at two places (ALU result, predicate).
fn differ(fc: &Fc, boolean: u32, places: [(bool, bool); 2]) -> bool {
    let [one, other] =
        places.map(|(a, p)| fc.jump_func >> ((a as u32) << 2 | (p as u32) << 1 | boolean) & 1);
    one != other
}
