//! Temporaries, predicates and ALU results that are used before they are written.
//!
//! Every register channel of every slot has a [`Tag`], which says where an undefined value comes
//! from. Copies and arithmetic pass it on; a mistake is reported where such a value has an effect: where it decides a branch, an
//! address, a kill or a write, or leaves the point.

use super::cause::{Cause, Missed, cause};
use super::hits::{Hits, Key, What};
use super::names::Told;
use super::needed::{needed, undefined_at_start};
use super::tags::{DEFINED, FRESH, Tag, Tags, Way};
use super::{Check, expected_outputs};
use crate::check::{Code, Finding};
use ctm_isa::float;
use ctm_isa::isa::{
    Access, AluOp, Body, Fc, OUTPUTS, Place, Register, TEMPORARIES, TexOp, To, Whose, Write,
    channels,
};
use ctm_machine::engine::Checked;
use ctm_machine::engine::groups::{SLOTS, slots};
use ctm_machine::engine::reference::{GroupState, Operand, Step};
use ctm_machine::launch::{FloatMode, Launch, Location};
use std::sync::Arc;

/// The effect of an undefined value.
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

/// The check.
pub struct Uninitialised<'a> {
    launch: &'a Launch,
    accesses: Arc<Vec<Access>>,
    /// Channels that start undefined, for each temporary.
    start: [u8; TEMPORARIES],
    /// The tags of all slots, by [`cell`].
    cells: Vec<[Tag; SLOTS]>,
    missed: Missed,
    tags: Tags,
}

/// The number of the cell of a place; `None` of what always counts as defined.
fn cell(place: Place) -> Option<usize> {
    let outputs = 4 * TEMPORARIES + 5;
    match place {
        Place::Temp(n, channel) => Some(4 * n + channel),
        Place::Predicate(channel) => Some(4 * TEMPORARIES + channel),
        Place::AluResult => Some(outputs - 1),
        Place::Output(n, channel) => Some(outputs + 4 * n + channel),
        Place::Own => Some(outputs + 4 * OUTPUTS),
        Place::Global(..) | Place::Constant(..) | Place::Texel(_) => None,
    }
}

/// Uses of undefined values by one instruction: slots, and the tags of the values.
type Uses = Vec<(usize, Tag)>;

impl<'a> Uninitialised<'a> {
    /// The check of a launch; `None` if the program reads nothing undefined on any path.
    pub fn new(launch: &'a Checked<'a>) -> Option<Uninitialised<'a>> {
        let start = undefined_at_start(launch);
        needed(launch, &start).then(|| Uninitialised {
            launch,
            accesses: launch.program.accesses(),
            start,
            cells: Vec::new(),
            missed: Missed::new(),
            tags: Tags::new(),
        })
    }

    /// The tag of a register channel of a slot.
    fn tag(&mut self, slot: usize, place: Place) -> Tag {
        match cell(place).map_or(DEFINED, |cell| self.cells[cell][slot]) {
            DEFINED => DEFINED,
            tag => self.tags.of(place, tag),
        }
    }

    /// Whether the predicates of a slot let a channel be written, and the tag of that.
    fn gate(&mut self, step: &Step<'_>, slot: usize, channel: usize) -> (bool, Tag) {
        let bit = step.instruction.common.gates()[channel];
        let tag = bit.map_or(DEFINED, |bit| self.tag(slot, Place::Predicate(bit)));
        (step.gate(slot) >> channel & 1 != 0, tag)
    }

    /// Reports the uses of one execution. An output's mistake is at the instruction that wrote it,
    /// all others are at the one at `pc`.
    fn report(
        &self,
        group: &GroupState,
        pc: u32,
        effect: Effect,
        uses: &[(usize, Tag)],
        hits: &mut Hits,
    ) {
        let tags = &self.tags;
        let key = |tag: Tag| {
            let last = match effect {
                Effect::Output | Effect::Condition => tags.last(tag),
                _ => None,
            };
            let origin = tags.origin(tag).whole();
            let code = match origin {
                Place::Temp(..) => Code::Uninitialised,
                _ => Code::UninitialisedPredicate,
            };
            Key { code, pc: last.unwrap_or(pc), what: What::Use(effect, origin) }
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
            hits.add(group, lanes, known, channels, |slot| {
                let tag = uses.iter().find(|&&(s, tag)| s == slot && key(tag) == known);
                let way = tags.way(tag.map_or(FRESH, |&(_, tag)| tag));
                let reader = way.chain.first().map_or(known.pc, |&(pc, _)| pc);
                let mut lanes = 1 << slot;
                if self.accesses.get(reader as usize).is_some_and(Access::of_neighbours) {
                    lanes = group.quad(slot).into_iter().fold(lanes, |all, n| all | 1 << n);
                }
                let cause = cause(&self.accesses, &self.missed, &way, known.pc, lanes);
                move |told: &Told<'_>| finding(told, known, effect, &way, cause)
            });
        }
    }

    /// The tags of the results of an ALU instruction, by channel.
    fn results(&mut self, step: &Step<'_>, lanes: u64) -> [[Tag; SLOTS]; 4] {
        let mut results = [[DEFINED; SLOTS]; 4];
        let Some(alu) = step.instruction.alu() else { return results };
        for (channel, result) in results.iter_mut().enumerate() {
            let op = alu.unit_of(channel).op;
            let selects = matches!(op, AluOp::Cnd | AluOp::Cmp);
            // Selects pass on the condition and what they chose.
            let choose = if op == AluOp::Cnd { float::cnd } else { float::cmp };
            let condition = |slot| step.result(slot).map_or(0, |result| result.inputs[2][channel]);
            let chosen = |slot, input| {
                !selects || input == 2 || (choose(1, 0, condition(slot)) == 1) == (input == 0)
            };
            let mut reads: Vec<_> = step.access.reads[channel].iter().collect();
            reads.sort_by_key(|read| selects && read.input != 2);
            for read in reads {
                let Some(Register::Temp(n, relative)) = read.register else { continue };
                let place = Place::Temp(step.before.temp_index(n, relative), read.channel);
                if cell(place).is_none_or(|cell| self.cells[cell] == [DEFINED; SLOTS]) {
                    continue;
                }
                for slot in slots(lanes).filter(|&slot| chosen(slot, read.input)) {
                    let from = match read.whose {
                        Whose::Own => slot,
                        Whose::Quad(n) => step.before.quad(slot)[n],
                    };
                    if result[slot] == DEFINED {
                        result[slot] = self.tag(from, place);
                    }
                }
            }
        }
        results
    }

    /// Passes the results of an instruction on to what it writes in these slots. Where a predicate is
    /// undefined, so is the register afterwards.
    fn write(&mut self, step: &Step<'_>, results: &[[Tag; SLOTS]; 4], lanes: u64) {
        for write in &step.access.writes {
            let channel = write.channel;
            let Some(place) = step.before.write(0, write) else { continue };
            let Some(cell) = cell(place) else { continue };
            for slot in slots(lanes) {
                let (on, unsure) = match write.gate {
                    Some(_) => self.gate(step, slot, channel),
                    None => (true, DEFINED),
                };
                let tag = if unsure == DEFINED { results[channel][slot] } else { unsure };
                if !on && unsure == DEFINED {
                    self.missed[step.pc as usize][channel] |= 1 << slot;
                } else if tag == DEFINED {
                    self.cells[cell][slot] = DEFINED;
                } else {
                    self.cells[cell][slot] = self.tags.passed(step.pc, place, tag);
                }
            }
        }
    }

    /// An undefined coordinate that decides whether a point is killed. A defined one that kills leaves
    /// nothing to decide.
    fn kills(&mut self, step: &Step<'_>) -> Uses {
        let kills: fn(u32) -> bool = match self.launch.mode {
            FloatMode::Exact | FloatMode::Chip => float::kills,
            FloatMode::Fast => float::fast::kills,
        };
        let mut uses = Vec::new();
        for slot in slots(step.before.active() & step.before.covered()) {
            let read = |operand: Operand<'_>| (operand.bits, operand.place);
            let of: Vec<_> = step.reads(slot, 0).map(read).collect();
            let tags = of.iter().map(|(_, place)| place.map_or(DEFINED, |p| self.tag(slot, p)));
            let tags: Vec<Tag> = tags.collect();
            let killed =
                of.iter().zip(&tags).any(|((bits, _), tag)| *tag == DEFINED && kills(*bits));
            let undefined = tags.into_iter().filter(|tag| !killed && *tag != DEFINED);
            uses.extend(undefined.map(|tag| (slot, tag)));
        }
        uses
    }

    /// The coordinates of a fetch, where any channel may be written.
    fn coordinates(&mut self, step: &Step<'_>, lanes: u64) -> Uses {
        let mut uses = Vec::new();
        for slot in slots(lanes & step.before.covered()) {
            let mut writes = step.access.writes.iter();
            let matters = writes.any(|write| {
                let (on, unsure) = self.gate(step, slot, write.channel);
                on || unsure != DEFINED
            });
            if matters {
                let places = step.reads(slot, 0).filter_map(|operand| operand.place);
                uses.extend(places.map(|place| (slot, self.tag(slot, place))));
            }
        }
        uses
    }

    /// The inputs of a decision that would change it.
    fn decides(&mut self, step: &Step<'_>, fc: &Fc) -> Uses {
        let group = step.before;
        let boolean = self.launch.constants.bool >> fc.bool_addr & 1;
        let entry = |a: bool, p: bool| {
            fc.jump_func >> (u32::from(a) << 2 | u32::from(p) << 1 | boolean) & 1
        };
        // The values that one may have.
        let may = |tag: Tag, value: bool| [value, value != (tag != DEFINED)];
        let mut uses = Vec::new();
        let asked = step.flow.map_or(0, |flow| flow.asked);
        for slot in slots(asked & group.covered()) {
            let (predicate, p) = self.gate(step, slot, 0);
            let (result, a) = (group.alu_result(slot), self.tag(slot, Place::AluResult));
            let mut predicates = may(p, predicate).into_iter();
            if a != DEFINED && predicates.any(|p| entry(false, p) != entry(true, p)) {
                uses.push((slot, a));
            }
            let mut results = may(a, result).into_iter();
            if p != DEFINED && results.any(|a| entry(a, false) != entry(a, true)) {
                uses.push((slot, p));
            }
        }
        uses
    }

    /// The undefined values that reach uncached writes: their gates and all their channels.
    fn uncached(&mut self, step: &Step<'_>, results: &[[Tag; SLOTS]; 4], lanes: u64) -> Uses {
        let mut uses = Vec::new();
        let sends = step.access.writes.iter().any(|write| write.to == To::Uncached);
        if !sends || self.launch.outputs[0].is_none() || self.launch.out_mask & 1 == 0 {
            return uses;
        }
        for slot in slots(lanes & step.before.covered()) {
            let gates = [0, 1, 2, 3].map(|channel| self.gate(step, slot, channel));
            // A predicate that is off for certain leaves nothing to decide.
            if gates.iter().all(|&(on, unsure)| on || unsure != DEFINED) {
                uses.extend(gates.map(|(_, unsure)| (slot, unsure)));
                uses.extend(results.iter().map(|result| (slot, result[slot])));
            }
        }
        uses
    }

    /// The undefined values that reach global registers, by the active covered points. Other groups
    /// and later launches read them, so they count as defined from here on: one mistake is enough.
    fn global(&mut self, step: &Step<'_>, results: &[[Tag; SLOTS]; 4]) -> Uses {
        let mut uses = Vec::new();
        let global = |write: &&Write| matches!(write.to, To::Register(Register::Global(..)));
        for write in step.access.writes.iter().filter(global) {
            for slot in slots(step.before.active() & step.before.covered()) {
                let (on, unsure) = self.gate(step, slot, write.channel);
                uses.push((slot, unsure));
                if on || unsure != DEFINED {
                    uses.push((slot, results[write.channel][slot]));
                }
            }
        }
        uses
    }
}

impl Check for Uninitialised<'_> {
    fn begin(&mut self) {
        self.cells = vec![[DEFINED; SLOTS]; 4 * TEMPORARIES + 5 + 4 * OUTPUTS + 1];
        for n in 0..4 * TEMPORARIES {
            if self.start[n / 4] >> (n % 4) & 1 != 0 {
                self.cells[n] = [FRESH; SLOTS];
            }
        }
        self.cells[4 * TEMPORARIES..][..5].fill([FRESH; SLOTS]);
        self.missed = vec![[0; 4]; self.accesses.len()];
        self.tags.clear();
    }

    fn step(&mut self, step: &Step<'_>, _: &[u64; 4], hits: &mut Hits) {
        let (group, common) = (step.before, &step.instruction.common);
        let mut lanes = if common.write_inactive { u64::MAX } else { group.active() };
        let mut report = |this: &Self, effect, uses: Uses| {
            let uses: Uses = uses.into_iter().filter(|(_, tag)| *tag != DEFINED).collect();
            this.report(group, step.pc, effect, &uses, hits);
        };
        match &step.instruction.body {
            Body::Fc(fc) => {
                let uses = self.decides(step, fc);
                report(self, Effect::Branch, uses);
            }
            Body::Tex(tex) if tex.op == TexOp::Texkill => {
                let uses = self.kills(step);
                report(self, Effect::Kill, uses);
            }
            Body::Tex(tex) => {
                if tex.ignore_uncovered {
                    lanes &= group.covered();
                }
                let uses = self.coordinates(step, lanes);
                report(self, Effect::Address, uses);
                // What is fetched is defined, wherever it came from: one mistake is enough.
                self.write(step, &[[DEFINED; SLOTS]; 4], lanes);
            }
            Body::Alu(_) => {
                let results = self.results(step, lanes);
                let uses = self.uncached(step, &results, lanes);
                report(self, Effect::Uncached, uses);
                let uses = self.global(step, &results);
                report(self, Effect::Global, uses);
                self.write(step, &results, lanes);
            }
        }
    }

    fn end(&mut self, group: &GroupState, writers: u64, hits: &mut Hits) {
        let mut report = |this: &mut Self, effect, places: Vec<Place>, lanes: u64| {
            let of = |place| slots(lanes).map(move |slot| (slot, place));
            let uses = places.into_iter().flat_map(of);
            let uses = uses.map(|(slot, place)| (slot, this.tag(slot, place)));
            let uses: Uses = uses.filter(|(_, tag)| *tag != DEFINED).collect();
            this.report(group, group.pc(), effect, &uses, hits);
        };
        let expected = expected_outputs(self.launch).into_iter().enumerate();
        let places =
            expected.flat_map(|(n, mask)| channels(mask).map(move |c| Place::Output(n, c)));
        report(self, Effect::Output, places.collect(), writers);
        let condition = &self.launch.condition;
        if condition.location == Location::Dpp && condition.touched().is_some() {
            report(self, Effect::Condition, vec![Place::Own], group.covered());
        }
    }
}

fn finding(told: &Told<'_>, key: Key, effect: Effect, way: &Way, cause: Cause) -> Finding {
    let whole = way.origin.whole();
    let never = match whole {
        Place::Temp(..) => "was never written",
        _ => "was never set",
    };
    let (does, label) = match effect {
        Effect::Branch => ("decides a branch", "the branch depends on it"),
        Effect::Address => ("is the coordinate of a fetch", "the fetch depends on it"),
        Effect::Kill => ("decides whether the point is killed", "the kill depends on it"),
        Effect::Output => ("reaches an output", "it is written here"),
        Effect::Uncached => ("reaches an uncached write", "the write depends on it"),
        Effect::Global => ("reaches a global register", "the register depends on it"),
        Effect::Condition => ("is the point's own conditional value", "it is written here"),
    };
    // One instruction can have several of these effects.
    let subject = match effect {
        Effect::Condition => format!("{}, condition", whole.register()),
        Effect::Global => format!("{}, global", whole.register()),
        _ => whole.register(),
    };
    let message = format!("{} {never}, and {does}", told.with(whole, told.channels));
    let mut finding = Finding::new(key.code, Some(key.pc), subject, message).label(label);
    for &(pc, place) in way.chain.iter().filter(|&&(pc, _)| pc != key.pc) {
        finding = finding.note(pc, format!("the value goes on to {}", told.place(place)));
    }
    let (origin, register) = (told.place(way.origin), told.register(way.origin));
    let (pc, fact) = match cause {
        Cause::Predicated(pc) => {
            (Some(pc), format!("{origin} was not written here: the predicate was off"))
        }
        Cause::Skipped(pc) => {
            (Some(pc), format!("{origin} is written here, but this was not executed"))
        }
        Cause::Later(pc) => (Some(pc), format!("{origin} is written here, after its first use")),
        Cause::Masked(pc, channels) => {
            (Some(pc), format!("only {} is written here", told.with(way.origin, channels)))
        }
        Cause::Relative(pc) => {
            (Some(pc), format!("{register} may be written here, relative to aL"))
        }
        Cause::Never => (None, format!("no instruction writes {register}")),
    };
    finding.note(pc, fact)
}
