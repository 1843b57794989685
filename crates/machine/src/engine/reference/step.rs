//! The effect of one instruction on a group.

use super::alu::LaneResult;
use super::group::GroupState;
use super::observer::Observer;
use crate::engine::{Checked, FaultCode};
use crate::memory::Wrap;
use ctm_isa::float;
use ctm_isa::isa::{Access, Body, Instruction, Place, Read, SourceKind, To, Write};
use std::sync::Arc;

/// The fetch of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The number of the input.
    pub input: usize,
    /// The texel that the coordinates name: column and row.
    pub meant: (i32, i32),
    /// The texel that was read, after clamp or wrap. A 2x2 tiling reads its neighbours, too.
    pub read: (u32, u32),
    /// The input's rule for coordinates outside.
    pub wrap: Wrap,
    /// The texel's channels as float bits, before the destination's swizzle.
    pub channels: [u32; 4],
}

impl Fetched {
    /// Whether the coordinates name a texel outside the input, and the input clamps them.
    pub fn is_clamped(&self) -> bool {
        let same = |meant: i32, read: u32| i64::from(meant) == i64::from(read);
        let inside = same(self.meant.0, self.read.0) && same(self.meant.1, self.read.1);
        self.wrap == Wrap::Clamp && !inside
    }
}

/// The decision of a group at a flow-control instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Decision {
    /// Slots whose wish the instruction asks for: the active ones after its steps 1 and 2.
    pub asked: u64,
    /// Slots for which the truth table gives 1.
    pub wish: u64,
    /// Whether some active covered points wish to jump and others do not.
    pub diverged: bool,
    /// Whether the group jumped.
    pub jumped: bool,
}

/// One instruction of a group, after it ran.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The launch.
    pub launch: &'a Checked<'a>,
    /// The instruction's slot.
    pub pc: u32,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its reads and writes.
    pub access: &'a Access,
    /// The group before it: its pc is the instruction's.
    pub before: &'a GroupState,
    /// The group after it; of an instruction that faulted, nothing that counts.
    pub after: &'a GroupState,
    /// Of ALU and OUT, what each slot computed: `None` for slots that did not take part. Else empty.
    pub results: &'a [Option<LaneResult>],
    /// The slots that fetched, in order, and what.
    pub fetches: &'a [(usize, Fetched)],
    /// Uncached writes: the slots of covered points, and the addresses. They take effect unless the
    /// conditional operation drops them or the group faults.
    pub sent: &'a [(usize, u32)],
    /// Of FC, how the group decided.
    pub flow: Option<Decision>,
    /// The fault of the whole group that the instruction raised.
    pub fault: Option<FaultCode>,
}

/// One channel of a source that a slot read.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The operand in the instruction.
    pub read: &'a Read,
    /// The slot whose register it is.
    pub slot: usize,
    /// Its place; `None` for an inline constant.
    pub place: Option<Place>,
    /// Its bits, before any modifier.
    pub bits: u32,
}

/// One channel that a slot wrote.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The destination in the instruction.
    pub write: &'a Write,
    /// Its place; `None` for an uncached write.
    pub place: Option<Place>,
    /// Its bits; 1 or 0 of a predicate and the ALU result.
    pub bits: u32,
}

impl<'a> Step<'a> {
    /// Whether a slot executed it as an active point.
    pub fn is_active(&self, slot: usize) -> bool {
        self.before.active() >> slot & 1 != 0
    }

    /// The results of a slot.
    pub fn result(&self, slot: usize) -> Option<&'a LaneResult> {
        self.results.get(slot)?.as_ref()
    }

    /// The fetch of a slot.
    pub fn fetch(&self, slot: usize) -> Option<&'a Fetched> {
        self.fetches.iter().find(|(of, _)| *of == slot).map(|(_, fetched)| fetched)
    }

    /// The channels that the predicates of a slot enable, bit 0 R to bit 3 A.
    pub fn gate(&self, slot: usize) -> u8 {
        self.instruction.common.gate(self.before.predicates(slot))
    }

    /// The operands that a channel's result depends on in a slot.
    pub fn reads(&self, slot: usize, channel: usize) -> impl Iterator<Item = Operand<'a>> {
        let Step { access, before, launch, .. } = *self;
        access.reads[channel].iter().map(move |read| {
            let found = before.read(slot, read);
            let bits = match (found, read.source.kind()) {
                (Some((of, place)), _) => before.bits(of, place, &launch.constants),
                (None, SourceKind::Inline(code)) => Some(float::inline_constant(code.into())),
                (None, SourceKind::Temp(_) | SourceKind::Constant(_)) => None,
            };
            let (slot, place) = found.map_or((slot, None), |(of, place)| (of, Some(place)));
            Operand { read, slot, place, bits: bits.unwrap_or(0) }
        })
    }

    /// The writes of a slot, in the order of [`Access::writes`]. None of a slot that did not take
    /// part.
    pub fn writes(&self, slot: usize) -> impl Iterator<Item = Written<'a>> {
        let Step { access, before, after, launch, .. } = *self;
        let (result, gate) = (self.result(slot), self.gate(slot));
        let took_part = result.is_some() || self.fetch(slot).is_some();
        access.writes.iter().filter(move |_| took_part).filter_map(move |write| {
            let needed = match write.to {
                To::Uncached => 15,
                _ if write.gate.is_some() => 1 << write.channel,
                _ => 0,
            };
            let place = before.write(slot, write);
            let has_effect = place.is_none_or(|place| before.can_write(slot, place));
            let bits = match place {
                Some(place) => after.bits(slot, place, &launch.constants),
                None => result.map(|result| result.value[write.channel]),
            };
            (gate & needed == needed && has_effect).then_some(Written { write, place, bits: bits? })
        })
    }

    /// The channel of the element that a slot's fetch wrote to a channel.
    pub fn texel(&self, channel: usize) -> Option<usize> {
        match &self.instruction.body {
            Body::Tex(tex) => Some(tex.dest_swizzle[channel] as usize),
            Body::Alu(_) | Body::Fc(_) => None,
        }
    }
}

/// The observers of a run, and the data that they get with the running instruction.
pub(super) struct Watched<'a> {
    /// One, or one for the even groups of a launch with data sharing and one for the odd groups: the
    /// groups of a pair run in turn, and each observer sees its groups one after the other.
    observers: Vec<&'a mut dyn Observer>,
    pub fetches: Vec<(usize, Fetched)>,
    pub sent: Vec<(usize, u32)>,
    accesses: Arc<Vec<Access>>,
    /// The running group before the instruction; of a launch with data sharing, both groups of a pair
    /// by parity.
    before: Vec<GroupState>,
}

impl<'a> Watched<'a> {
    pub fn new(
        observers: Vec<&'a mut (dyn Observer + '_)>,
        launch: &Checked<'_>,
        group: &GroupState,
    ) -> Watched<'a> {
        let observers = observers.into_iter().map(|observer| observer as _).collect();
        let accesses = launch.program.accesses();
        let before = vec![group.clone(); if launch.program.sharing().is_some() { 2 } else { 1 }];
        Watched { observers, fetches: Vec::new(), sent: Vec::new(), accesses, before }
    }

    /// The observer of the groups of a parity.
    pub fn observer(&mut self, parity: usize) -> &mut dyn Observer {
        let last = self.observers.len() - 1;
        self.observers[parity.min(last)]
    }

    /// A group begins.
    pub fn begin(&mut self, group: &GroupState) {
        self.before[group.parity].clone_from(group);
        self.observer(group.parity).begin(group);
    }

    /// An instruction is about to run.
    pub fn before_step(&mut self, group: &GroupState) {
        // The other group of a pair may have written them.
        self.before[group.parity].simd.clone_from(&group.simd);
    }

    /// An instruction has run.
    pub fn step(
        &mut self,
        launch: &Checked<'_>,
        after: &mut GroupState,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
        flow: Option<Decision>,
        fault: Option<FaultCode>,
    ) {
        let parity = after.parity.min(self.observers.len() - 1);
        let before = &mut self.before[after.parity];
        let access = &self.accesses[before.pc as usize];
        self.observers[parity].step(&Step {
            launch,
            pc: before.pc,
            instruction,
            access,
            before,
            after,
            results,
            fetches: &self.fetches,
            sent: &self.sent,
            flow,
            fault,
        });
        self.fetches.clear();
        self.sent.clear();
        before.follow(after, &access.writes);
    }
}
