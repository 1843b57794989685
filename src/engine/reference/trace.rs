//! An observer that writes what every instruction does to one point, as text.

use super::alu::LaneResult;
use super::group::GroupState;
use super::observer::{Destination, Fetched, Observer};
use crate::isa::{Body, Instruction, TexOp};
use crate::memory::Element;
use std::fmt::Write;

/// Writes a trace of one point: pc, disassembly, sources, result, predicates, counters.
pub struct Trace<F: FnMut(&str)> {
    point: (u32, u32),
    slot: Option<usize>,
    /// The point fetched in the running instruction.
    fetched: bool,
    sink: F,
    disassemble: fn(&[u32; 6]) -> String,
    line: String,
}

impl<F: FnMut(&str)> Trace<F> {
    /// A tracer of point (i, j). It passes finished lines to `sink`. `disassemble` turns six words
    /// into text.
    pub fn new(point: (u32, u32), disassemble: fn(&[u32; 6]) -> String, sink: F) -> Trace<F> {
        Trace { point, slot: None, fetched: false, sink, disassemble, line: String::new() }
    }

    fn put(&mut self, text: &str) {
        (self.sink)(text);
    }
}

/// A value as a float and as its bits.
fn value(bits: u32) -> String {
    format!("{} ({bits:08x})", f32::from_bits(bits))
}

fn values(bits: &[u32]) -> String {
    bits.iter().map(|&x| value(x)).collect::<Vec<_>>().join(", ")
}

/// The values of the two units.
fn units(bits: &[u32; 4]) -> String {
    format!("{} | {}", values(&bits[..3]), value(bits[3]))
}

impl<F: FnMut(&str)> Observer for Trace<F> {
    fn group_begin(&mut self, group: &GroupState) {
        self.slot = (0..64)
            .find(|&slot| group.point(slot) == self.point && group.covered() >> slot & 1 != 0);
        if let Some(slot) = self.slot {
            let (i, j) = self.point;
            let r0 = values(&group.temp(slot, 0));
            self.put(&format!("point ({i}, {j}) starts in slot {slot}: r0 = {r0}"));
        }
    }

    fn group_end(&mut self, group: &GroupState, faulted: bool) {
        if let Some(slot) = self.slot.take() {
            let (i, j) = self.point;
            let how = if faulted {
                "its group faulted and writes nothing"
            } else if group.covered() >> slot & 1 == 0 {
                "killed"
            } else {
                "done"
            };
            let executed = group.executed();
            self.put(&format!("point ({i}, {j}) ends after {executed} group instructions: {how}"));
        }
    }

    fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        let Some(slot) = self.slot else { return };
        self.fetched = false;
        let text = (self.disassemble)(&instruction.encode());
        let state = if group.active() >> slot & 1 != 0 {
            String::new()
        } else if let Some(counter) = group.counter(slot) {
            format!("   [inactive, branch counter {counter}]")
        } else {
            "   [inactive in a loop]".to_string()
        };
        let pc = group.pc();
        self.put(&format!("{pc:3}  {text}{state}"));
    }

    fn after(
        &mut self,
        group: &GroupState,
        _pc: u32,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        let Some(slot) = self.slot else { return };
        let common = &instruction.common;
        self.line.clear();
        match &instruction.body {
            Body::Alu(alu) => {
                let Some(result) = results.get(slot).copied().flatten() else {
                    return;
                };
                for (name, index) in [("A", 0), ("B", 1), ("C", 2)] {
                    let input = units(&result.inputs[index]);
                    self.put(&format!("       {name} = {input}"));
                }
                self.put(&format!("       = {}", units(&result.value)));
                if common.class == crate::isa::Type::Alu && common.omask != 0 {
                    let p = group.predicates(slot);
                    let _ = write!(self.line, "       predicates (argb) = {p:04b}");
                }
                if alu.alu_wmask {
                    let bit = group.alu_result(slot) as u8;
                    let _ = write!(self.line, "       ALU result = {bit}");
                }
            }
            Body::Tex(tex) => {
                if tex.op == TexOp::Texkill && group.covered() >> slot & 1 == 0 {
                    let _ = write!(self.line, "       killed");
                } else if self.fetched {
                    let dest = group.temp_index(tex.dest, tex.dest_rel);
                    let result = values(&group.temp(slot, dest));
                    let _ = write!(self.line, "       r{dest} = {result}");
                }
            }
            Body::Fc(_) => {
                let counter = match group.counter(slot) {
                    Some(counter) => format!("branch counter {counter}"),
                    None => "not branch-inactive".to_string(),
                };
                let _ = write!(
                    self.line,
                    "       -> pc {}, {counter}, {} loop frame(s), aL {}, {} address(es)",
                    group.pc(),
                    group.frames().len(),
                    group.al(),
                    group.calls().len()
                );
            }
        }
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.put(&line);
        }
    }

    fn load(&mut self, _group: &GroupState, slot: usize, fetch: &Fetched) {
        if self.slot == Some(slot) {
            self.fetched = true;
            let channels = values(&fetch.channels);
            let (x, y) = fetch.meant;
            self.put(&format!("       input {} at ({x}, {y}): {channels}", fetch.input));
        }
    }

    fn store(
        &mut self,
        point: (u32, u32),
        _pc: u32,
        destination: Destination,
        address: u32,
        element: &Element,
    ) {
        if point != self.point {
            return;
        }
        let name = match destination {
            Destination::Output(n) => format!("output {n}"),
            Destination::Uncached => "output 0 (uncached)".to_string(),
            Destination::Condition => "the conditional buffer".to_string(),
        };
        let bytes: Vec<String> = (0..16)
            .filter(|n| element.byte_mask >> n & 1 != 0)
            .map(|n| format!("{:02x}", element.bytes[n]))
            .collect();
        let bytes = bytes.join(" ");
        self.put(&format!("writes {name} at 0x{address:08x}: {bytes}"));
    }
}
