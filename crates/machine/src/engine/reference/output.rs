//! The writes of a point: held outputs, uncached writes, the conditional operation.

use super::RunState;
use super::observer::{Destination, Store};
use crate::engine::groups::slots;
use crate::engine::writes::Write;
use crate::engine::{Fault, FaultCode, condition};
use crate::launch::{Condition, Location, Test};
use crate::memory::{self, Element, Format};
use ctm_isa::float;

/// Order of the writes at a point's end among its faults: after every instruction.
const AT_END: u64 = u64::MAX;

/// An uncached write that is undecided until its group ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub slot: usize,
    pub pc: u32,
    pub write: Write,
}

impl RunState<'_> {
    /// The conditional operation of one point: tests v and, if it passes, writes it. `order` and
    /// `pc` place its faults. Returns whether it passed.
    pub(super) fn condition(
        &mut self,
        i: u32,
        j: u32,
        own: Option<u32>,
        order: u64,
        pc: u32,
    ) -> bool {
        let condition = &self.launch.condition;
        let Condition { test, value, write, .. } = *condition;
        let Some(surface) = condition.touched() else {
            // Without a buffer, only ALWAYS and NEVER get here (`Checked::new`).
            return test == Test::Always;
        };
        let v = condition::value(surface.format, value, own);
        let len = surface.format.bytes_per_element() as usize;
        let element =
            condition::element(&surface, i, j, |address| self.memory.contains(address, len));
        let read = |address: &u32| {
            let bytes = self.memory.slice(*address, surface.format.bytes_per_element() as usize);
            bytes.map_or(0, |bytes| memory::decode_units(surface.format, bytes)[0])
        };
        let touched = test.reads_buffer();
        let b = match &element {
            Ok(address) if touched => read(address),
            _ => 0,
        };
        let passed = condition::passes(test, surface.format, v, b);
        let writes = passed && write;
        match element {
            Ok(address) if writes => {
                let element = memory::encode_units(surface.format, [v, 0, 0, 0], 1);
                self.stored((i, j), pc, Destination::Condition, address, element);
                self.part.writes.condition.push(Write { j, i, order: 0, address, element });
            }
            Err((code, word)) if touched || writes => {
                self.part.faults.add(code, Fault { count: 1, i, j, order, pc, slot: 0, word })
            }
            _ => {}
        }
        passed
    }

    /// Executes an uncached write of one slot: `values` are the final red, green, blue and alpha.
    pub(super) fn uncached(&mut self, slot: usize, values: [u32; 4]) {
        let Some(surface) = self.launch.outputs[0].filter(|_| self.launch.out_mask & 1 != 0) else {
            return;
        };
        let [red, green, blue, alpha] = values;
        if !float::is_zero(alpha) {
            self.point_fault(FaultCode::UncachedAlpha, slot, 0, alpha);
            return;
        }
        let (x, y) = match (element_index(green), element_index(blue)) {
            (Some(x), Some(y)) if surface.is_writable(x, y) => (x, y),
            (x, _) => {
                let bad_x = x.is_none_or(|x| x >= surface.pitch);
                let word = if bad_x { green } else { blue };
                self.point_fault(FaultCode::UncachedOutsideSurface, slot, 0, word);
                return;
            }
        };
        let address = surface.address(x, y);
        if !self.memory.contains(address, 4) {
            self.point_fault(FaultCode::UncachedOutsideMemory, slot, 0, address);
            return;
        }
        if self.group.covered >> slot & 1 == 0 {
            return;
        }
        if let Some(own) = &mut self.group.own {
            own.add(slot, address, red);
        }
        if let Some(watched) = &mut self.watched {
            watched.sent.push((slot, address));
        }
        let (i, j) = self.group.point(slot);
        self.group.pending.push(Pending {
            slot,
            pc: self.group.pc,
            write: Write {
                j,
                i,
                order: self.group.executed,
                address,
                element: memory::encode(Format::Float32x1, [red, 0, 0, 0], 1),
            },
        });
    }

    /// Ends every point of a group that did not fault: conditional operation, then outputs.
    pub(super) fn end_points(&mut self, last_pc: u32) {
        let at_dpp = self.launch.condition.location == Location::Dpp;
        let mut failed = 0u64;
        for slot in slots(self.group.covered) {
            let (i, j) = self.group.point(slot);
            let own = self.group.own_value[slot];
            if at_dpp && !self.condition(i, j, own, AT_END, last_pc) {
                failed |= 1 << slot;
                if let Some(watched) = &mut self.watched {
                    watched.observer(self.group.parity).dropped(self.group, slot);
                }
                continue;
            }
            for output in 0..4 {
                self.output(slot, output, last_pc);
            }
        }
        for Pending { slot, pc, write } in std::mem::take(&mut self.group.pending) {
            if failed >> slot & 1 == 0 {
                let point = (write.i, write.j);
                self.stored(point, pc, Destination::Uncached, write.address, write.element);
                self.part.writes.uncached.push(write);
            }
        }
    }

    /// Shows an accepted write to the observer.
    fn stored(
        &mut self,
        point: (u32, u32),
        pc: u32,
        destination: Destination,
        address: u32,
        element: Element,
    ) {
        if let Some(watched) = &mut self.watched {
            watched.observer(self.group.parity).stored(&Store {
                point,
                pc,
                destination,
                address,
                element,
            });
        }
    }

    fn output(&mut self, slot: usize, output: usize, pc: u32) {
        let Some(surface) = self.launch.outputs[output] else {
            return;
        };
        let mask = self.group.written[slot][output] & self.launch.out_mask;
        let element = memory::encode(surface.format, self.group.outputs[slot][output], mask);
        if element.byte_mask == 0 {
            return;
        }
        let (i, j) = self.group.point(slot);
        let address = surface.address(i, j);
        let len = surface.format.bytes_per_element() as usize;
        let code = if !surface.is_writable(i, j) {
            FaultCode::OutputOutsideSurface
        } else if !self.memory.contains(address, len) {
            FaultCode::OutputOutsideMemory
        } else {
            self.stored((i, j), pc, Destination::Output(output), address, element);
            self.part.writes.outputs.push(Write { j, i, order: output as u64, address, element });
            return;
        };
        let word = if code == FaultCode::OutputOutsideMemory { address } else { 0 };
        self.part
            .faults
            .add(code, Fault { count: 1, i, j, order: AT_END, pc, slot: output as u32, word });
    }
}

/// The index that an uncached write's coordinate names: floor of the flushed value; `None` for a
/// NaN or a negative one. Large ones saturate, which is outside every surface.
fn element_index(x: u32) -> Option<u32> {
    let x = float::ftz(x);
    if float::is_nan(x) {
        return None;
    }
    u32::try_from(float::texel_index(x)).ok()
}
