//! Launches with data sharing: one walk over pairs of groups for each SIMD, SIMDs on all cores.
//!
//! Lowering gives each operand that is a global register rows of its own, the *window*
//! ([`crate::lower::Window`]). Before an instruction its windows are filled from the registers of the
//! SIMD, and after it they are written back for the points that write. A group works on clause
//! temporaries as on its other temporaries: only one group of a parity runs at a time.

use super::code::Prepared;
use super::io::{Io, LaunchData};
use super::machine::Machine;
use super::rows::Row;
use super::{GroupEffects, Run, daz, start, walk};
use crate::engine::groups::{Tile, slots};
use crate::engine::stop::Early;
use crate::engine::{Checked, Fault, FaultCode, Statistics, Stopped};
use crate::launch;
use crate::lower::{NO_ROW, Window};
use ctm_isa::float;
use ctm_isa::isa::{AluOp, Common, Instruction, RGB, Register};
use rayon::prelude::*;
use std::array;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A register of all 64 lanes.
type Lanes = [Row; 4];

const ZERO: Lanes = [Row::ZERO; 4];

/// The shared registers of a SIMD.
struct Simd {
    globals: Vec<Lanes>,
    /// Of the even and of the odd groups.
    clauses: [Vec<Lanes>; 2],
}

/// The reads and writes of an instruction in shared registers, apart from aL and AR.X.
struct Plan {
    sources: [Option<Register>; 6],
    /// Of the RGB unit and of the alpha unit, or of TEX.
    written: [Option<(Register, u8)>; 2],
    common: Common,
    /// It sets AR.X.
    sets_ar: bool,
}

impl Plan {
    /// The plan of an instruction; `None` if it has nothing to do with shared registers.
    fn of(instruction: &Instruction, first_clause: usize) -> Option<Plan> {
        let shared = |register: &Register| match *register {
            Register::Temp(n, relative) => relative || n as usize >= first_clause,
            Register::Global(..) => true,
        };
        let sources = instruction.read_registers().map(|source| source.filter(shared));
        let mut written = [None; 2];
        for (register, channels) in instruction.written().filter(|(r, _)| shared(r)) {
            written[usize::from(channels == 8)] = Some((register, channels));
        }
        let rgb = instruction.alu().map(|alu| alu.units[RGB].op);
        let sets_ar = rgb == Some(AluOp::MovaFloor) && instruction.common.wmask & 1 != 0;
        let idle = sources == [None; 6] && written == [None; 2] && !sets_ar;
        (!idle).then_some(Plan { sources, written, common: instruction.common, sets_ar })
    }
}

/// The global registers that an operand names.
#[derive(Clone)]
enum Index {
    /// One for all lanes.
    One(i64),
    /// By lane.
    Each(Box<[i64; 64]>),
}

impl Index {
    fn of(m: &Machine, n: u8, ar_x: bool) -> Index {
        if ar_x {
            Index::Each(Box::new(array::from_fn(|lane| i64::from(n) + i64::from(m.ar[lane]))))
        } else {
            Index::One(n.into())
        }
    }

    fn at(&self, lane: usize) -> i64 {
        match self {
            Index::One(n) => *n,
            Index::Each(each) => each[lane],
        }
    }

    /// The lanes in which the register exists.
    fn inside(&self, globals: usize) -> u64 {
        let exists = |n: i64| (0..globals as i64).contains(&n);
        match self {
            Index::One(n) => u64::from(exists(*n)).wrapping_neg(),
            Index::Each(each) => {
                (0..64).fold(0, |mask, lane| mask | u64::from(exists(each[lane])) << lane)
            }
        }
    }

    /// Whether two operands name the same register in one of some lanes.
    fn meets(&self, other: &Index, lanes: u64) -> bool {
        match (self, other) {
            (Index::One(a), Index::One(b)) => lanes != 0 && a == b,
            _ => slots(lanes).any(|lane| self.at(lane) == other.at(lane)),
        }
    }
}

/// Operands in global registers, with the lanes that count.
type Touched = Vec<(Index, u64)>;

/// The operands of one instruction.
#[derive(Default)]
struct Step {
    read: Touched,
    written: Touched,
}

impl Step {
    /// Whether one of two instructions writes what the other one reads.
    fn conflicts(&self, other: &Step) -> bool {
        let meet = |a: &Touched, b: &Touched| {
            a.iter().any(|(i, lanes)| b.iter().any(|(k, more)| i.meets(k, lanes & more)))
        };
        meet(&self.written, &other.read) || meet(&other.written, &self.read)
    }
}

/// One group of a pair, with its buffers and state.
struct Half<'a, 'm> {
    m: Machine,
    io: Io<'a, 'm>,
    parity: usize,
    step: Step,
}

impl Run<'_> {
    /// Runs a launch with data sharing. Returns what the global registers then hold.
    pub(super) fn simds(
        &self,
        memory: &LaunchData,
        shared: &launch::Shared,
    ) -> (GroupEffects, launch::Globals) {
        let (running, start) = self.running(memory);
        let first = shared.sharing.first_clause();
        let instructions = self.launch.program.instructions().iter();
        let plans: Vec<_> = instructions.map(|one| Plan::of(one, first)).collect();
        let simds: Vec<(GroupEffects, Vec<[u32; 4]>)> = (0..shared.simds as usize)
            .into_par_iter()
            .map(|n| self.simd(memory, shared, n, &running, &plans))
            .collect();
        let (mut whole, mut globals) = (start, Vec::with_capacity(shared.globals.len()));
        for (part, registers) in simds {
            whole = whole.merge(part);
            globals.extend(registers);
        }
        (whole, Arc::new(globals))
    }

    /// The groups that run: only they have a number.
    fn running(&self, memory: &LaunchData) -> (Vec<(Tile, u64)>, GroupEffects) {
        let mut io = Io::new(memory, self.stop, Default::default());
        let mut running = Vec::with_capacity(self.total as usize);
        let mut stopped = None;
        for n in 0..self.total {
            stopped = self.stop.check().err();
            if stopped.is_some() {
                break;
            }
            let covered = io.start(self.launch.grouping.tile(n), self.prepared.start);
            if covered != 0 {
                running.push((io.tile, covered));
            }
        }
        (running, part(io, Statistics::default(), stopped))
    }

    /// Runs the groups of one SIMD.
    fn simd(
        &self,
        memory: &LaunchData,
        shared: &launch::Shared,
        number: usize,
        running: &[(Tile, u64)],
        plans: &[Option<Plan>],
    ) -> (GroupEffects, Vec<[u32; 4]>) {
        let count = shared.sharing.globals();
        let before = &shared.globals[number * count * 64..][..count * 64];
        let load = |lanes: &[[u32; 4]; 64]| {
            let mut register = ZERO;
            for (lane, value) in lanes.iter().enumerate() {
                (0..4).for_each(|channel| register[channel].set(lane, value[channel]));
            }
            register
        };
        let clauses = vec![ZERO; shared.sharing.clauses()];
        let mut simd = Simd {
            globals: before.as_chunks().0.iter().map(load).collect(),
            clauses: [clauses.clone(), clauses],
        };
        let mut halves = [0, 1].map(|parity| Half {
            m: Machine::new(self.prepared),
            io: Io::new(memory, self.stop, Default::default()),
            parity,
            step: Step::default(),
        });
        halves.iter_mut().for_each(|half| half.m.environment = daz::environment());
        let own: Vec<_> = running.iter().skip(number).step_by(shared.simds as usize).collect();
        let mut stopped = None;
        let mut pairs: Vec<_> = own.chunks(2).collect();
        if self.reversed {
            pairs.reverse();
        }
        for pair in pairs {
            if let Err(why) = self.pair(&mut halves, pair, &mut simd, plans) {
                stopped = Some(why);
                break;
            }
            let done = self.done.fetch_add(pair.len() as u64, Ordering::Relaxed);
            self.progress.groups(done + pair.len() as u64, self.total);
        }
        let value = |register: &Lanes, lane| array::from_fn(|n| register[n].get(lane));
        let after = simd.globals.iter().flat_map(|r| (0..64).map(move |lane| value(r, lane)));
        let after = after.collect();
        let parts = halves.map(|half| part(half.io, half.m.statistics, None));
        let mut whole = parts.into_iter().fold(GroupEffects::default(), GroupEffects::merge);
        whole.stopped = stopped;
        (whole, after)
    }

    /// Runs a pair of groups, or a single one.
    fn pair(
        &self,
        halves: &mut [Half; 2],
        pair: &[&(Tile, u64)],
        simd: &mut Simd,
        plans: &[Option<Plan>],
    ) -> Result<(), Stopped> {
        self.stop.check()?;
        let mut open = [false; 2];
        for (half, &&(tile, covered)) in halves.iter_mut().zip(pair) {
            half.begin(self.launch, self.prepared, simd, tile, covered);
            open[half.parity] = true;
        }
        let mut steps = 0u64;
        while open != [false; 2] {
            steps += 1;
            if steps.is_multiple_of(crate::engine::stop::LOOK) {
                self.stop.check()?;
            }
            let [even, odd] = &mut *halves;
            for half in [&mut *even, &mut *odd] {
                half.step.read.clear();
                half.step.written.clear();
                if open[half.parity] {
                    open[half.parity] = !half.advance(self.prepared, simd, plans)?;
                }
            }
            if self.launch.statistics && even.step.conflicts(&odd.step) {
                even.m.statistics.shared_conflicts += 1;
            }
        }
        Ok(())
    }
}

fn part(io: Io, statistics: Statistics, stopped: Option<Stopped>) -> GroupEffects {
    let Io { faults, writes, foreign, .. } = io;
    GroupEffects { statistics, faults, writes, foreign, stopped }
}

/// The points whose predicates let channel 0 to 3 through.
fn gates(m: &Machine, common: &Common) -> [u64; 4] {
    let gates = common.gates();
    array::from_fn(|channel| match gates[channel] {
        None => u64::MAX,
        Some(bit) if common.pred_inv[channel / 3] => !m.bits[bit],
        Some(bit) => m.bits[bit],
    })
}

impl Half<'_, '_> {
    fn begin(
        &mut self,
        launch: &Checked,
        prepared: &Prepared,
        simd: &Simd,
        tile: Tile,
        covered: u64,
    ) {
        self.io.tile = tile;
        if let Some(own) = &mut self.io.own {
            own.clear();
        }
        start::temporaries(&mut self.m, prepared, &self.io, tile);
        self.m.start(covered, prepared.start);
        self.m.ar = [0; 64];
        let first = launch.program.sharing().unwrap_or_default().first_clause();
        self.m.first_clause = first;
        for (n, register) in simd.clauses[self.parity].iter().enumerate() {
            for (channel, row) in register.iter().enumerate() {
                let place = prepared.lowered.temp_rows[4 * (first + n) + channel];
                if place != NO_ROW {
                    self.m.rows[place as usize] = *row;
                }
            }
        }
    }

    /// Executes one instruction. Returns whether the group has ended.
    fn advance(
        &mut self,
        prepared: &Prepared,
        simd: &mut Simd,
        plans: &[Option<Plan>],
    ) -> Result<bool, Stopped> {
        let plan = plans.get(self.m.pc as usize).and_then(Option::as_ref);
        let ended = match plan {
            None => walk(&mut self.m, prepared, &mut self.io, None),
            Some(plan) => self.shared_step(prepared, simd, plan),
        };
        match ended {
            Ok(None) => return Ok(false),
            Ok(Some(pc)) => self.io.end_points(&self.m, prepared, pc),
            Err(Early::Fault(code)) => self.io.group_fault(&self.m, code),
            Err(Early::Stopped(why)) => return Err(why),
        }
        // The clause temporaries stay for the next group of this parity.
        let first = self.m.first_clause;
        for (n, register) in simd.clauses[self.parity].iter_mut().enumerate() {
            for (channel, row) in register.iter_mut().enumerate() {
                let place = prepared.lowered.temp_rows[4 * (first + n) + channel];
                if place != NO_ROW {
                    *row = self.m.rows[place as usize];
                }
            }
        }
        Ok(true)
    }

    /// Executes an instruction that may touch shared registers.
    fn shared_step(
        &mut self,
        prepared: &Prepared,
        simd: &mut Simd,
        plan: &Plan,
    ) -> Result<Option<u32>, Early> {
        let m = &mut self.m;
        let lanes = m.active.mask & m.covered;
        let gates = gates(m, &plan.common);
        let globals = simd.globals.len();
        // The first register outside, for each point that names one.
        let mut outside = 0u64;
        let mut first_outside = [0i64; 64];
        let mut note = |index: &Index, lanes: u64| {
            for lane in slots(lanes & !outside) {
                first_outside[lane] = index.at(lane);
            }
            outside |= lanes;
        };
        let clause = |m: &Machine, n: u8, relative: bool| {
            let n = (n as i32).wrapping_add(if relative { m.al } else { 0 }) as usize & 127;
            (n >= m.first_clause).then_some(n)
        };
        for (k, source) in plan.sources.iter().enumerate() {
            match *source {
                Some(Register::Temp(n, relative)) if clause(m, n, relative).is_some() => {
                    m.statistics.shared_reads += u64::from(lanes.count_ones());
                }
                None | Some(Register::Temp(..)) => {}
                Some(Register::Global(n, ar_x)) => {
                    let index = Index::of(m, n, ar_x);
                    let inside = index.inside(globals);
                    let unit = if k < 3 { 0..3 } else { 3..4 };
                    for channel in unit {
                        let place = prepared.lowered.windows[Window::source(k, channel)];
                        if place != NO_ROW {
                            m.rows[place as usize] = load(simd, &index, inside, channel);
                        }
                    }
                    m.statistics.shared_reads += u64::from((lanes & inside).count_ones());
                    note(&index, lanes & !inside);
                    self.step.read.push((index, lanes & inside));
                }
            }
        }
        // What the instruction writes: the index of a global register, or the old rows of a clause
        // temporary.
        let mut stores: [Option<Index>; 2] = [None, None];
        let mut kept: [Option<(usize, Lanes)>; 2] = [None, None];
        for (unit, written) in plan.written.iter().enumerate() {
            let Some((register, channels)) = *written else { continue };
            let passed = (0..4).filter(|n| channels >> n & 1 != 0);
            let points = lanes & passed.fold(0, |all, n| all | gates[n]);
            match register {
                Register::Temp(n, relative) => {
                    let Some(n) = clause(m, n, relative) else { continue };
                    m.statistics.shared_writes += u64::from(points.count_ones());
                    let row = |channel| match prepared.lowered.temp_rows[4 * n + channel] {
                        NO_ROW => Row::ZERO,
                        place => m.rows[place as usize],
                    };
                    kept[unit] = Some((n, array::from_fn(row)));
                }
                Register::Global(n, ar_x) => {
                    let index = Index::of(m, n, ar_x);
                    let inside = index.inside(globals);
                    m.statistics.shared_writes += u64::from((points & inside).count_ones());
                    note(&index, points & !inside);
                    self.step.written.push((index.clone(), points & inside));
                    stores[unit] = Some(index);
                }
            }
        }
        for lane in slots(outside) {
            let (number, word) = Fault::of_global(first_outside[lane]);
            self.io.point_fault(m, FaultCode::Shared, lane, number, word);
        }
        let moved = if plan.common.write_inactive { u64::MAX } else { m.active.mask };

        let ended = walk(m, prepared, &mut self.io, None)?;

        for (unit, index) in stores.iter().enumerate() {
            let (Some(index), Some((_, channels))) = (index, plan.written[unit]) else { continue };
            let inside = index.inside(globals);
            for channel in (0..4).filter(|n| channels >> n & 1 != 0) {
                let place = prepared.lowered.windows[Window::dest(unit, channel)];
                if place != NO_ROW {
                    let row = m.rows[place as usize];
                    store(simd, index, lanes & gates[channel] & inside, channel, &row);
                }
            }
        }
        for (n, old) in kept.iter().flatten() {
            for (channel, old) in old.iter().enumerate() {
                let place = prepared.lowered.temp_rows[4 * n + channel];
                if place != NO_ROW {
                    let row = &mut m.rows[place as usize];
                    slots(!lanes).for_each(|lane| row.set(lane, old.get(lane)));
                }
            }
        }
        if plan.sets_ar {
            let row = m.rows[prepared.lowered.windows[Window::AR] as usize];
            for lane in slots(moved & gates[0]) {
                m.ar[lane] = float::texel_index(float::ftz(row.get(lane)));
            }
        }
        Ok(ended)
    }
}

/// A channel of the registers that an operand names; 0 where they do not exist.
fn load(simd: &Simd, index: &Index, inside: u64, channel: usize) -> Row {
    match index {
        Index::One(_) if inside == 0 => Row::ZERO,
        Index::One(n) => simd.globals[*n as usize][channel],
        Index::Each(each) => {
            let mut row = Row::ZERO;
            for lane in slots(inside) {
                row.set(lane, simd.globals[each[lane] as usize][channel].get(lane));
            }
            row
        }
    }
}

/// Writes a channel of the registers that an operand names, in some lanes in which they exist.
fn store(simd: &mut Simd, index: &Index, lanes: u64, channel: usize, from: &Row) {
    match index {
        Index::One(n) if lanes == u64::MAX => simd.globals[*n as usize][channel] = *from,
        _ => {
            for lane in slots(lanes) {
                let register = &mut simd.globals[index.at(lane) as usize];
                register[channel].set(lane, from.get(lane));
            }
        }
    }
}
