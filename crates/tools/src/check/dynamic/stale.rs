//! Values that a real chip might have read before they arrived, on the path that the points took.
//!
//! The bits that order instructions have no effect here, because every instruction ends before the
//! next one begins. On a chip, fetches land late: the texture semaphore (TEX_SEM_ACQUIRE and
//! TEX_SEM_WAIT) orders them, and in uncached programs also writes and later fetches. NOP, ALU_WAIT
//! and the rule for ALU results order the ALU.

use super::Setting;
use super::hits::Hits;
use super::reads::effective;
use ctm_isa::isa::{
    Body, Common, Instruction, Place, RGB, Register, TEMPORARIES, TexOp, Type, Whose, channels,
};
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::{Fetched, GroupState};
use std::collections::HashMap;

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The reader of a fetched value does not wait for the semaphore.
    Wait,
    /// No fetch holds the semaphore until the value has arrived.
    Acquire,
    /// The instruction before writes what the presubtract or MDH/MDV reads.
    Nop,
    /// Flow control reads what an ALU instruction wrote, without waiting.
    AluWait,
    /// The ALU result is from before another flow-control instruction.
    AluResult,
    /// A fetch of an uncached write does not wait.
    UncachedWait,
    /// No uncached write holds the semaphore.
    UncachedAcquire,
}

/// What makes two stale reads the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instruction that reads.
    pub pc: u32,
    /// What is missing.
    pub rule: Rule,
    /// The register, without its channel; `None`: memory.
    pub place: Option<Place>,
}

/// The first stale read: the instruction that wrote the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The writer.
    pub writer: u32,
}

/// A temporary's channel that a fetch has not reached yet, as far as the bits tell.
#[derive(Clone, Copy, Default)]
struct Arriving {
    /// Slots whose fetch no ACQUIRE holds the semaphore for.
    loose: u64,
    /// Slots whose fetch the semaphore covers.
    held: u64,
    pc: u32,
}

/// The check.
pub struct Stale<'a> {
    setting: &'a Setting<'a>,
    arriving: Vec<[Arriving; 4]>,
    /// The entries of `arriving` that are not empty.
    listed: Vec<(usize, usize)>,
    /// What the instruction before, an ALU or OUT without NOP, wrote: temporary, channel, slots.
    before: Vec<(usize, usize, u64)>,
    before_pc: u32,
    /// Slots whose predicate bits and ALU result were written and not waited for, and by what.
    unwaited: [(u64, u32); 5],
    /// Slots whose ALU result no flow-control instruction has seen; slots that have written one; the
    /// last writer.
    valid: u64,
    result_written: u64,
    result_pc: u32,
    /// The group's uncached writes by slot and address: the instruction, and whether the semaphore
    /// covers it. `None`: waited for.
    sent: HashMap<(usize, u32), (u32, bool)>,
    reads_back: bool,
    pub hits: Hits<Key, Detail>,
}

/// The position of the ALU result in `unwaited`.
const RESULT: usize = 4;

impl<'a> Stale<'a> {
    /// The check of a launch.
    pub fn new(setting: &'a Setting<'a>) -> Stale<'a> {
        Stale {
            setting,
            arriving: vec![[Arriving::default(); 4]; TEMPORARIES],
            listed: Vec::new(),
            before: Vec::new(),
            before_pc: 0,
            unwaited: [(0, 0); 5],
            valid: 0,
            result_written: 0,
            result_pc: 0,
            sent: HashMap::new(),
            reads_back: setting.launch.reads_back(),
            hits: Hits::new(setting.number),
        }
    }

    pub fn group_begin(&mut self) {
        for (temp, channel) in self.listed.drain(..) {
            self.arriving[temp][channel] = Arriving::default();
        }
        self.before.clear();
        self.unwaited = [(0, 0); 5];
        (self.valid, self.result_written) = (0, 0);
        self.sent.clear();
    }

    pub fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        let common = &instruction.common;
        if common.tex_sem_wait {
            let arriving = &mut self.arriving;
            self.listed.retain(|&(temp, channel)| {
                let arriving = &mut arriving[temp][channel];
                arriving.held = 0;
                arriving.loose != 0
            });
            self.sent.retain(|_, (_, held)| !*held);
        }
        if common.alu_wait {
            self.unwaited = [(0, 0); 5];
        }
        match &instruction.body {
            Body::Alu(_) => self.alu(group, instruction),
            Body::Tex(tex) => {
                self.before.clear();
                self.tex(group, instruction, tex);
            }
            Body::Fc(fc) => {
                // Flow control runs beside the ALU unless it waits.
                if common.alu_wait {
                    self.before.clear();
                }
                self.flow(group, instruction, fc);
            }
        }
    }

    fn report(&mut self, group: &GroupState, reads: Vec<Late>) {
        for Late { rule, temp, channels, lanes, writer } in reads {
            let key = Key { pc: group.pc(), rule, place: Some(Place::Temp(temp, 0)) };
            self.hits.add(group, lanes & group.covered(), key, channels, |_| Detail { writer });
        }
    }

    fn alu(&mut self, group: &GroupState, instruction: &Instruction) {
        let common = &instruction.common;
        let Some(alu) = instruction.alu() else { return };
        let access = &self.setting.accesses[group.pc() as usize];
        let lanes = if common.write_inactive { u64::MAX } else { group.active() };
        let effective = effective(instruction, access, group, lanes);
        let mut late = Vec::new();
        if !self.listed.is_empty() || !self.before.is_empty() {
            for (channel, reads) in access.reads.iter().enumerate() {
                for read in reads {
                    let Some(Register::Temp(n, relative)) = read.register else {
                        continue;
                    };
                    let temp = group.temp_index(n, relative);
                    let component = read.channel;
                    let theirs = |written: u64| match read.whose {
                        Whose::Own => written,
                        Whose::Quad(n) => slots(effective[channel])
                            .filter(|&slot| written >> group.quad(slot)[n] & 1 != 0)
                            .fold(0, |mask, slot| mask | 1 << slot),
                    };
                    let Arriving { loose, held, pc } = self.arriving[temp][component];
                    for (rule, slots) in [(Rule::Wait, held), (Rule::Acquire, loose)] {
                        let lanes = theirs(slots) & effective[channel];
                        Late::add(&mut late, rule, temp, component, lanes, pc);
                    }
                    if read.presubtract || read.whose != Whose::Own {
                        for &(_, _, written) in
                            self.before.iter().filter(|w| (w.0, w.1) == (temp, component))
                        {
                            let lanes = theirs(written) & effective[channel];
                            let writer = self.before_pc;
                            Late::add(&mut late, Rule::Nop, temp, component, lanes, writer);
                        }
                    }
                }
            }
        }
        self.report(group, late);

        // What it writes.
        self.before.clear();
        for channel in (0..4).filter(|channel| common.wmask >> channel & 1 != 0) {
            let unit = alu.unit_of(channel);
            let Register::Temp(n, relative) = instruction.register(unit.dest, unit.dest_rel) else {
                continue;
            };
            let temp = group.temp_index(n, relative);
            let written = self.gate(group, common, channel, lanes);
            // The newer value is not the fetch's.
            let arriving = &mut self.arriving[temp][channel];
            arriving.loose &= !written;
            arriving.held &= !written;
            if !common.nop {
                self.before.push((temp, channel, written));
            }
        }
        self.before_pc = group.pc();
        let pc = group.pc();
        if common.class == Type::Alu {
            for channel in (0..4).filter(|channel| common.omask >> channel & 1 != 0) {
                let (slots, writer) = &mut self.unwaited[channel];
                (*slots, *writer) = (*slots | lanes, pc);
            }
        }
        if alu.alu_wmask {
            self.unwaited[RESULT] = (self.unwaited[RESULT].0 | lanes, pc);
            self.valid |= lanes;
            self.result_written |= lanes;
            self.result_pc = pc;
        }
    }

    fn tex(&mut self, group: &GroupState, instruction: &Instruction, tex: &ctm_isa::isa::Tex) {
        let common = &instruction.common;
        let mut late = Vec::new();
        let active = group.active();
        let mut lanes = if common.write_inactive { u64::MAX } else { active };
        if tex.ignore_uncovered {
            lanes &= group.covered();
        }
        let fetches = tex.op.fetches() && common.wmask != 0;
        let readers = match tex.op {
            TexOp::Texkill => active,
            _ if fetches => lanes,
            _ => 0,
        };
        let temp = group.temp_index(tex.src.addr, tex.src.relative);
        for n in channels(tex.op.coordinates()) {
            let channel = tex.src.swizzle[n] as usize;
            let Arriving { loose, held, pc } = self.arriving[temp][channel];
            for (rule, slots) in [(Rule::Wait, held), (Rule::Acquire, loose)] {
                Late::add(&mut late, rule, temp, channel, slots & readers, pc);
            }
        }
        self.report(group, late);
        if fetches {
            let dest = group.temp_index(tex.dest, tex.dest_rel);
            for channel in (0..4).filter(|channel| common.wmask >> channel & 1 != 0) {
                let written = self.gate(group, common, channel, lanes);
                let arriving = &mut self.arriving[dest][channel];
                *arriving = Arriving {
                    loose: arriving.loose | written,
                    held: arriving.held & !written,
                    pc: group.pc(),
                };
                if !self.listed.contains(&(dest, channel)) {
                    self.listed.push((dest, channel));
                }
            }
        }
    }

    /// The semaphore now covers every fetch and every uncached write so far.
    fn acquire(&mut self) {
        for &(temp, channel) in &self.listed {
            let arriving = &mut self.arriving[temp][channel];
            arriving.held |= std::mem::take(&mut arriving.loose);
        }
        self.sent.values_mut().for_each(|(_, held)| *held = true);
    }

    /// The slots among `lanes` in which the predicates let a channel be written.
    fn gate(&self, group: &GroupState, common: &Common, channel: usize, lanes: u64) -> u64 {
        match common.gates()[channel] {
            None => lanes,
            Some(bit) => slots(lanes)
                .filter(|&slot| {
                    (group.predicates(slot) >> bit & 1 != 0) != common.pred_inv[channel / 3]
                })
                .fold(0, |mask, slot| mask | 1 << slot),
        }
    }

    fn flow(&mut self, group: &GroupState, instruction: &Instruction, fc: &ctm_isa::isa::Fc) {
        let lanes = group.voters(fc) & group.covered();
        let pc = group.pc();
        let mut hit = |rule, place, lanes: u64, writer| {
            let key = Key { pc, rule, place: Some(place) };
            self.hits.add(group, lanes, key, 0, |_| Detail { writer });
        };
        let depends = |shift: u32, mask: u8| (fc.jump_func ^ (fc.jump_func >> shift)) & mask != 0;
        if depends(4, 0x0f) {
            let stale = lanes & self.result_written & !self.valid;
            hit(Rule::AluResult, Place::AluResult, stale, self.result_pc);
            let (unwaited, writer) = self.unwaited[RESULT];
            hit(Rule::AluWait, Place::AluResult, lanes & unwaited & !stale, writer);
        }
        if let Some(bit) = instruction.common.gates()[0].filter(|_| depends(2, 0x33)) {
            let (unwaited, writer) = self.unwaited[bit];
            hit(Rule::AluWait, Place::Predicate(0), lanes & unwaited, writer);
        }
        self.valid = 0;
    }

    /// The running OUT has made an uncached write.
    pub fn sent(&mut self, group: &GroupState, slot: usize, address: u32) {
        if self.reads_back {
            self.sent.insert((slot, address), (group.pc(), false));
        }
    }

    /// The instruction is done: a fetch or an uncached write may take the semaphore.
    pub fn after(&mut self, instruction: &Instruction) {
        let common = &instruction.common;
        let acquires = match &instruction.body {
            Body::Tex(tex) => tex.tex_sem_acquire,
            Body::Alu(alu) => {
                let uncached = self.setting.launch.program.umrt() && common.class == Type::Out;
                uncached && common.omask != 0 && alu.units[RGB].target & 1 != 0
            }
            Body::Fc(_) => false,
        };
        if acquires {
            self.acquire();
        }
    }

    pub fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        let Some(surface) =
            self.setting.launch.inputs[fetch.input].filter(|_| !self.sent.is_empty())
        else {
            return;
        };
        // Uncached writes are whole words.
        let first = surface.address(fetch.read.0, fetch.read.1);
        let end = first.wrapping_add(surface.format.bytes_per_element());
        let mut word = first & !3;
        while word < end {
            if let Some(&(writer, held)) = self.sent.get(&(slot, word)) {
                let rule = if held { Rule::UncachedWait } else { Rule::UncachedAcquire };
                let key = Key { pc: group.pc(), rule, place: None };
                let lanes = 1u64 << slot & group.covered();
                self.hits.add(group, lanes, key, 0, |_| Detail { writer });
                return;
            }
            word += 4;
        }
    }
}

/// A temporary that is read too early: merged over the channels of one instruction.
struct Late {
    rule: Rule,
    temp: usize,
    channels: u8,
    lanes: u64,
    writer: u32,
}

impl Late {
    fn add(list: &mut Vec<Late>, rule: Rule, temp: usize, channel: usize, lanes: u64, writer: u32) {
        if lanes == 0 {
            return;
        }
        match list.iter_mut().find(|late| (late.rule, late.temp) == (rule, temp)) {
            Some(late) => {
                late.channels |= 1 << channel;
                late.lanes |= lanes;
            }
            None => list.push(Late { rule, temp, channels: 1 << channel, lanes, writer }),
        }
    }
}
