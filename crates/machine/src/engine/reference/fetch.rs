//! TEX: coordinates, fetches, TEXKILL.

use super::RunState;
use super::arithmetic::Arithmetic;
use super::step::Fetched;
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::memory::{self, Surface};
use ctm_isa::float;
use ctm_isa::isa::{Common, FieldValue, Register, Tex, TexOp};

/// Executes a TEX instruction for the whole group.
pub(super) fn execute<M: Arithmetic>(run: &mut RunState<'_>, common: &Common, tex: &Tex) {
    let active = run.group.active();
    match tex.op {
        TexOp::Nop | TexOp::Reserved(_) => {}
        TexOp::Texkill => kill::<M>(run, tex, active),
        _ => lookup::<M>(run, common, tex, active),
    }
}

/// The coordinate S, T, R, Q of a slot, flushed.
fn coordinate(run: &RunState<'_>, tex: &Tex, slot: usize) -> [u32; 4] {
    let temp = run.group.register(slot, Register::Temp(tex.src.addr, tex.src.relative));
    tex.src.swizzle.map(|channel| float::ftz(temp[channel.code() as usize]))
}

fn kill<M: Arithmetic>(run: &mut RunState<'_>, tex: &Tex, active: u64) {
    let killed = slots(active)
        .filter(|&slot| coordinate(run, tex, slot).into_iter().any(M::kills))
        .fold(0, |mask, slot| mask | 1 << slot);
    run.part.statistics.killed += (killed & run.group.covered).count_ones() as u64;
    run.group.covered &= !killed;
}

fn lookup<M: Arithmetic>(run: &mut RunState<'_>, common: &Common, tex: &Tex, active: u64) {
    run.part.statistics.fetches += (active & run.group.covered).count_ones() as u64;
    let wmask = common.wmask;
    let mut lanes = if common.write_inactive { u64::MAX } else { active };
    if tex.ignore_uncovered {
        lanes &= run.group.covered;
    }
    // A fetch whose result is not written reads nothing.
    let Some(surface) = run.launch.inputs[tex.input as usize].filter(|_| wmask != 0) else {
        return;
    };
    for slot in slots(lanes) {
        let (x, y) = texel::<M>(coordinate(run, tex, slot), tex, &surface);
        let read = |address: u32, bytes: &mut [u8]| {
            let inside = run.memory.read(address, bytes).is_ok();
            if let Some(own) = run.group.own.as_ref().filter(|_| inside) {
                own.cover(slot, address, bytes);
            }
            inside
        };
        let fetch = memory::fetch_by(read, &surface, x, y);
        if let Some(address) = fetch.fault {
            run.point_fault(FaultCode::InputOutsideMemory, slot, tex.input as u32, address);
        }
        run.note_fetch(slot, tex.input as usize, &surface, x, y);
        if let Some(watched) = &mut run.watched {
            let input = tex.input as usize;
            let wrapped = |v: i32, size| memory::wrap_coordinate(surface.wrap, v.into(), size);
            let fetched = Fetched {
                input,
                meant: (x, y),
                read: (wrapped(x, surface.width), wrapped(y, surface.height)),
                wrap: surface.wrap,
                channels: fetch.channels,
            };
            watched.fetches.push((slot, fetched));
        }
        let gate = wmask & common.gate(run.group.predicates[slot]);
        let Some(temp) = run.group.register_mut(slot, Register::Temp(tex.dest, tex.dest_rel))
        else {
            continue;
        };
        for (channel, swizzle) in tex.dest_swizzle.iter().enumerate() {
            if gate >> channel & 1 != 0 {
                temp[channel] = fetch.channels[swizzle.code() as usize];
            }
        }
    }
}

/// The texel that a coordinate names, before clamp or wrap.
fn texel<M: Arithmetic>(
    [mut s, mut t, _, q]: [u32; 4],
    tex: &Tex,
    surface: &Surface,
) -> (i32, i32) {
    if tex.op == TexOp::Proj {
        let reciprocal = M::rcp(q);
        s = M::scale(s, reciprocal);
        t = M::scale(t, reciprocal);
    }
    if !tex.unscaled {
        s = M::scale(s, (surface.width as f32).to_bits());
        t = M::scale(t, (surface.height as f32).to_bits());
    }
    (float::texel_index(s), float::texel_index(t))
}

impl RunState<'_> {
    /// Notes a fetch of another point's element from a surface that the launch writes with the same
    /// layout. The overlap is then a hazard.
    fn note_fetch(&mut self, slot: usize, input: usize, surface: &Surface, x: i32, y: i32) {
        if self.in_place >> input & 1 == 0 || self.group.covered >> slot & 1 == 0 {
            return;
        }
        let (i, j) = self.group.point(slot);
        let own = memory::wrap_coordinate(surface.wrap, x as i64, surface.width) == i
            && memory::wrap_coordinate(surface.wrap, y as i64, surface.height) == j;
        if !own || surface.tiling.is_2x2() {
            self.part.foreign_fetch |= 1 << input;
        }
    }

    /// Counts a fault of a covered point at the running instruction.
    pub(super) fn point_fault(&mut self, code: FaultCode, slot: usize, number: u32, word: u32) {
        if self.group.covered >> slot & 1 != 0 {
            self.fault(code, slot, number, word);
        }
    }
}
