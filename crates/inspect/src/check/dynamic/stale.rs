//! Values that a real chip might have read before they arrived, on the path that the points took.
//!
//! The bits that order instructions have no effect here, because every instruction ends before the
//! next one begins. On a chip, fetches land late: the texture semaphore (TEX_SEM_ACQUIRE and
//! TEX_SEM_WAIT) orders them, and in uncached programs also writes and later fetches. NOP, ALU_WAIT
//! and the rule for ALU results order the ALU.

use super::Check;
use super::hits::{Hits, Key, What};
use super::names::Told;
use crate::check::{Code, Finding};
use ctm_isa::isa::{Body, Instruction, Place, RGB, Register, TEMPORARIES, TexOp, To, Whose, Write};
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::Step;
use std::collections::HashMap;

/// The missing step.
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

/// A temporary's channel that a fetch has not reached yet, as far as the bits tell.
#[derive(Clone, Copy, Default)]
struct Arriving {
    /// Slots whose fetch no ACQUIRE holds the semaphore for.
    loose: u64,
    /// Slots whose fetch the semaphore covers.
    held: u64,
    pc: u32,
}

/// The check: what the running group has written and not waited for.
pub struct Stale {
    reads_back: bool,
    /// By temporary and channel.
    arriving: Vec<[Arriving; 4]>,
    /// The entries of `arriving` that are not empty.
    listed: Vec<(usize, usize)>,
    /// The writes of the instruction before, an ALU or OUT without NOP: temporary, channel, slots.
    before: Vec<(usize, usize, u64)>,
    before_pc: u32,
    /// Slots whose predicate bits and ALU result were written and not waited for, and by what.
    unwaited: [(u64, u32); 5],
    /// Slots whose ALU result no flow-control instruction has seen; slots that have written one; the
    /// last writer.
    valid: u64,
    result_written: u64,
    result_pc: u32,
    /// The uncached writes by slot and address: the instruction, and whether the semaphore covers
    /// it. `None`: waited for.
    sent: HashMap<(usize, u32), (u32, bool)>,
}

/// The position of the ALU result in `unwaited`.
const RESULT: usize = 4;

impl Stale {
    /// The check of a launch.
    pub fn new(reads_back: bool) -> Stale {
        Stale {
            reads_back,
            arriving: vec![[Arriving::default(); 4]; TEMPORARIES],
            listed: Vec::new(),
            before: Vec::new(),
            before_pc: 0,
            unwaited: [(0, 0); 5],
            valid: 0,
            result_written: 0,
            result_pc: 0,
            sent: HashMap::new(),
        }
    }

    fn wait(&mut self, instruction: &Instruction) {
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
        // Flow control runs beside the ALU unless it waits.
        let idle = match &instruction.body {
            Body::Alu(_) => false,
            Body::Tex(_) => true,
            Body::Fc(_) => common.alu_wait,
        };
        if idle {
            self.before.clear();
        }
    }

    /// Reports the temporaries that an instruction reads too early; `lanes` are the slots in which
    /// each channel of its result matters.
    fn read(&self, step: &Step<'_>, lanes: &[u64; 4], hits: &mut Hits) {
        if self.listed.is_empty() && self.before.is_empty() {
            return;
        }
        let mut late: Vec<Late> = Vec::new();
        let group = step.before;
        for (reads, &lanes) in step.access.reads.iter().zip(lanes) {
            for read in reads {
                let Some(Register::Temp(n, relative)) = read.register else { continue };
                let (temp, channel) = (group.temp_index(n, relative), read.channel);
                let Arriving { loose, held, pc } = self.arriving[temp][channel];
                let fetched = [(Rule::Wait, held, pc), (Rule::Acquire, loose, pc)];
                let early = read.presubtract || read.whose != Whose::Own;
                let before = self.before.iter().filter(|w| early && (w.0, w.1) == (temp, channel));
                let before = before.map(|&(.., written)| (Rule::Nop, written, self.before_pc));
                for (rule, written, writer) in fetched.into_iter().chain(before) {
                    let lanes = lanes
                        & match read.whose {
                            Whose::Own => written,
                            Whose::Quad(n) => slots(lanes)
                                .filter(|&slot| written >> group.quad(slot)[n] & 1 != 0)
                                .fold(0, |mask, slot| mask | 1 << slot),
                        };
                    // One for all channels of an instruction.
                    match late.iter_mut().find(|late| (late.rule, late.temp) == (rule, temp)) {
                        _ if lanes == 0 => {}
                        Some(late) => {
                            late.channels |= 1 << channel;
                            late.lanes |= lanes;
                        }
                        None => {
                            late.push(Late { rule, temp, channels: 1 << channel, lanes, writer });
                        }
                    }
                }
            }
        }
        for Late { rule, temp, channels, lanes, writer } in late {
            let place = Some(Place::Temp(temp, 0));
            report(step, rule, place, channels, lanes, writer, hits);
        }
    }

    /// Notes what an instruction writes, in these slots.
    fn write(&mut self, step: &Step<'_>, lanes: u64) {
        let (pc, common) = (step.pc, &step.instruction.common);
        let is_alu = step.instruction.alu().is_some();
        if is_alu {
            self.before.clear();
            self.before_pc = pc;
        }
        for write in &step.access.writes {
            let channel = write.channel;
            match step.before.write(0, write) {
                Some(Place::Temp(temp, _)) => {
                    let written = gate(step, write, lanes);
                    let arriving = &mut self.arriving[temp][channel];
                    // The newer value is not the fetch's.
                    arriving.held &= !written;
                    if is_alu {
                        arriving.loose &= !written;
                        if !common.nop {
                            self.before.push((temp, channel, written));
                        }
                        continue;
                    }
                    arriving.loose |= written;
                    arriving.pc = pc;
                    if !self.listed.contains(&(temp, channel)) {
                        self.listed.push((temp, channel));
                    }
                }
                Some(Place::Predicate(n)) => self.unwaited[n] = (self.unwaited[n].0 | lanes, pc),
                Some(Place::AluResult) => {
                    self.unwaited[RESULT] = (self.unwaited[RESULT].0 | lanes, pc);
                    self.valid |= lanes;
                    self.result_written |= lanes;
                    self.result_pc = pc;
                }
                _ => {}
            }
        }
    }

    fn flow(&mut self, step: &Step<'_>, hits: &mut Hits) {
        let lanes = step.flow.map_or(0, |flow| flow.asked) & step.before.covered();
        let [reads_result, reads_predicate, _] = step.instruction.jump_reads();
        if reads_result {
            let (result, (unwaited, writer)) = (Some(Place::AluResult), self.unwaited[RESULT]);
            let stale = lanes & self.result_written & !self.valid;
            report(step, Rule::AluResult, result, 0, stale, self.result_pc, hits);
            report(step, Rule::AluWait, result, 0, lanes & unwaited & !stale, writer, hits);
        }
        if let Some(bit) = step.instruction.common.gates()[0].filter(|_| reads_predicate) {
            let (unwaited, writer) = self.unwaited[bit];
            let place = Some(Place::Predicate(0));
            report(step, Rule::AluWait, place, 0, lanes & unwaited, writer, hits);
        }
        self.valid = 0;
    }

    /// Reports fetches of the group's own uncached writes.
    fn read_back(&self, step: &Step<'_>, hits: &mut Hits) {
        for &(slot, fetch) in step.fetches.iter().filter(|_| !self.sent.is_empty()) {
            let Some(surface) = step.launch.inputs[fetch.input] else { continue };
            // Uncached writes are whole words.
            let first = surface.address(fetch.read.0, fetch.read.1);
            let end = first.wrapping_add(surface.format.bytes_per_element());
            let mut words = (first & !3..end).step_by(4);
            if let Some(&(writer, held)) = words.find_map(|word| self.sent.get(&(slot, word))) {
                let rule = if held { Rule::UncachedWait } else { Rule::UncachedAcquire };
                report(step, rule, None, 0, 1 << slot, writer, hits);
            }
        }
    }
}

impl Check for Stale {
    fn begin(&mut self) {
        *self = Stale::new(self.reads_back);
    }

    fn step(&mut self, step: &Step<'_>, effective: &[u64; 4], hits: &mut Hits) {
        let common = &step.instruction.common;
        self.wait(step.instruction);
        let active = step.before.active();
        let mut lanes = if common.write_inactive { u64::MAX } else { active };
        let acquires = match &step.instruction.body {
            Body::Alu(alu) => {
                self.read(step, effective, hits);
                self.write(step, lanes);
                let uncached = step.access.writes.iter().any(|write| write.to == To::Uncached);
                uncached && alu.units[RGB].target & 1 != 0
            }
            Body::Tex(tex) => {
                if tex.ignore_uncovered {
                    lanes &= step.before.covered();
                }
                let fetches = tex.op.fetches() && common.wmask != 0;
                let readers = if tex.op == TexOp::Texkill {
                    active
                } else if fetches {
                    lanes
                } else {
                    0
                };
                // The coordinates are the same for all channels.
                self.read(step, &[readers, 0, 0, 0], hits);
                self.write(step, lanes);
                tex.tex_sem_acquire
            }
            Body::Fc(_) => {
                self.flow(step, hits);
                false
            }
        };
        self.read_back(step, hits);
        if self.reads_back {
            let sent = step.sent.iter().map(|&(slot, address)| ((slot, address), (step.pc, false)));
            self.sent.extend(sent);
        }
        if acquires {
            // The semaphore now covers every fetch and every uncached write so far.
            for &(temp, channel) in &self.listed {
                let arriving = &mut self.arriving[temp][channel];
                arriving.held |= std::mem::take(&mut arriving.loose);
            }
            self.sent.values_mut().for_each(|(_, held)| *held = true);
        }
    }
}

/// The slots among `lanes` in which the predicates let a channel be written.
fn gate(step: &Step<'_>, write: &Write, lanes: u64) -> u64 {
    let on = |&slot: &usize| write.gate.is_none() || step.gate(slot) >> write.channel & 1 != 0;
    slots(lanes).filter(on).fold(0, |mask, slot| mask | 1 << slot)
}

/// A temporary that is read too early: merged over the channels of one instruction.
struct Late {
    rule: Rule,
    temp: usize,
    channels: u8,
    lanes: u64,
    writer: u32,
}

/// Reports a read in some slots of what the instruction at `writer` wrote. `place` is the register,
/// without its channel; `None`: memory.
fn report(
    step: &Step<'_>,
    rule: Rule,
    place: Option<Place>,
    channels: u8,
    lanes: u64,
    writer: u32,
    hits: &mut Hits,
) {
    let pc = step.pc;
    let key = Key { code: Code::StaleRead, pc, what: What::Stale(rule, place) };
    hits.add(step.before, lanes & step.before.covered(), key, channels, |_| {
        move |told: &Told<'_>| finding(told, pc, rule, place, writer)
    });
}

fn finding(told: &Told<'_>, pc: u32, rule: Rule, place: Option<Place>, writer: u32) -> Finding {
    let subject = place.map_or("memory".to_string(), Place::register);
    let name = place.map_or("memory".to_string(), |place| match told.channels {
        0 => told.register(place),
        channels => told.with(place, channels),
    });
    let (missing, label, note) = match rule {
        Rule::Wait => ("TEX_SEM_WAIT", "does not wait for the fetch", "fetched here"),
        Rule::Acquire => {
            ("TEX_SEM_ACQUIRE", "the fetch may still be on its way", "no ACQUIRE since")
        }
        Rule::Nop => ("NOP", "reads it in the next slot", "written here, without NOP"),
        Rule::AluWait => ("ALU_WAIT", "does not wait for the ALU", "written here"),
        Rule::AluResult => {
            ("valid ALU result", "another FC instruction ran before", "written here")
        }
        Rule::UncachedWait => ("TEX_SEM_WAIT", "does not wait for the write", "written here"),
        Rule::UncachedAcquire => {
            ("TEX_SEM_ACQUIRE", "the write may still be on its way", "no ACQUIRE since")
        }
    };
    let message = match rule {
        Rule::AluResult => {
            "the ALU result is not valid after another flow-control instruction".to_string()
        }
        _ => format!("a real chip may read an old value of {name}: {missing} is missing"),
    };
    Finding::new(Code::StaleRead, Some(pc), format!("{subject}, {missing}"), message)
        .label(label)
        .note(writer, note)
}
