//! The model: the values of every slot with the registers that they come from, and what happened.

mod observer;

use ctm::check::Code;
use ctm::engine::Checked;
use ctm::engine::reference::{Fetched, GroupState, LaneResult, Observer, Step, Store};
use ctm::float;
use ctm::isa::{
    Alu, AluOp, AluResultSel, Body, Channel, Common, Fc, FcOp, PredSel, Presub, Sel, Source,
    SourceKind, Tex, TexOp, Type,
};
use ctm::launch::Location;
use ctm::memory::Wrap;
use ctm::program::ConstantKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The registers that a value comes from and that were never written: temporaries, then the
/// predicates, then the ALU result.
#[derive(Clone, Copy, Default)]
pub struct Tags([u64; 3]);

pub const PREDICATES: usize = 128;
pub const ALU_RESULT: usize = 129;

impl Tags {
    fn one(register: usize) -> Tags {
        let mut tags = Tags::default();
        tags.0[register / 64] |= 1 << (register % 64);
        tags
    }

    fn extend(&mut self, other: Tags) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    fn all(tags: impl IntoIterator<Item = Tags>) -> Tags {
        let mut all = Tags::default();
        tags.into_iter().for_each(|tags| all.extend(tags));
        all
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; 3]
    }

    fn names(&self) -> Vec<String> {
        let name = |register| match register {
            PREDICATES => "p".to_string(),
            ALU_RESULT => "alu_result".to_string(),
            n => format!("r{n}"),
        };
        (0..192).filter(|n| self.0[n / 64] >> (n % 64) & 1 != 0).map(name).collect()
    }
}

pub type Point = (u32, u32);

pub const SLOTS: usize = 64;

/// The events at one instruction.
#[derive(Clone, Debug, Default)]
pub struct Event {
    pub count: u64,
    pub points: BTreeSet<Point>,
    pub origins: BTreeSet<String>,
}

/// The events, by code, pc and subject; codes whose subject is not compared have an empty one.
#[derive(Default)]
pub struct Events(pub BTreeMap<(Code, u32, String), Event>);

impl Events {
    fn add(&mut self, code: Code, pc: u32, subject: &str, point: Point, origins: Vec<String>) {
        let event = self.0.entry((code, pc, subject.to_string())).or_default();
        event.count += 1;
        // Rows before columns, as in reports.
        event.points.insert((point.1, point.0));
        event.origins.extend(origins);
    }
}

/// One slot of a group.
#[derive(Clone, Default)]
pub struct Slot {
    temps: Vec<[Tags; 4]>,
    predicates: [Tags; 4],
    alu_result: Tags,
    /// The tags of each output channel and the instruction that wrote it last.
    outputs: [[Option<(Tags, u32)>; 4]; 4],
    /// Channels written for certain or by chance.
    written: [u8; 4],
    own_value: Option<(Tags, u32)>,
    /// Fetches on their way: temporary and channel, and whether the semaphore covers them.
    fetching: HashMap<(usize, usize), bool>,
    /// Temporaries that the instruction before wrote, if it was ALU or OUT without NOP.
    fresh: BTreeSet<(usize, usize)>,
    /// Predicate bits, and 4 for the ALU result, written since the last ALU_WAIT.
    unwaited: BTreeSet<usize>,
    result_written: bool,
    result_valid: bool,
    /// Uncached writes that are on their way.
    sent: HashMap<u32, bool>,
}

pub struct Model<'a> {
    pub launch: &'a Checked<'a>,
    pub slots: Vec<Slot>,
    pub dropped: BTreeSet<usize>,
    pub events: Events,
    /// The points that write each byte, and the accesses: point, bytes, and whether it is a write.
    pub writers: HashMap<u32, BTreeSet<Point>>,
    pub accesses: Vec<(Point, Vec<u32>, bool)>,
}

fn gate_bit(common: &Common, channel: usize) -> Option<usize> {
    match common.pred_sel[usize::from(channel == 3)] {
        PredSel::None | PredSel::Reserved(_) => None,
        PredSel::Rgba => Some(channel),
        PredSel::R => Some(0),
        PredSel::G => Some(1),
        PredSel::B => Some(2),
        PredSel::A => Some(3),
    }
}

/// Whether the predicates let a channel be written.
fn gate(common: &Common, predicates: u8, channel: usize) -> bool {
    gate_bit(common, channel).is_none_or(|bit| {
        (predicates >> bit & 1 != 0) != common.pred_inv[usize::from(channel == 3)]
    })
}

fn temp(group: &GroupState, number: u8, relative: bool) -> usize {
    (i64::from(number) + if relative { i64::from(group.al()) } else { 0 }).rem_euclid(128) as usize
}

/// The source of an operand: slot, source, channel, and whether through the presubtract.
pub type Operand = (usize, Source, usize, bool);

/// The operands of one lane of an input.
fn input(alu: &Alu, slot: usize, input: usize, lane: usize) -> Vec<Operand> {
    let unit = &alu.units[usize::from(lane == 3)];
    let input = &unit.inputs[input];
    let swizzle = input.swizzle[if lane == 3 { 0 } else { lane }];
    let Some(channel) = swizzle.channel() else {
        return Vec::new();
    };
    let from = &alu.units[usize::from(channel == 3)];
    let source = |n: usize, presubtract| (slot, from.sources[n], channel, presubtract);
    match input.sel {
        Sel::Src0 => vec![source(0, false)],
        Sel::Src1 => vec![source(1, false)],
        Sel::Src2 => vec![source(2, false)],
        Sel::Srcp => match from.presub {
            Presub::Bias | Presub::Inv => vec![source(0, true)],
            Presub::Sub | Presub::Add => vec![source(0, true), source(1, true)],
        },
    }
}

/// All operands of a channel's operation, by input.
fn operands(group: &GroupState, alu: &Alu, slot: usize, lane: usize) -> [Vec<Operand>; 3] {
    let unit = usize::from(lane == 3);
    let op = alu.units[unit].op;
    let lanes = |wanted: [&[usize]; 3]| {
        let mut n = 0;
        wanted.map(|lanes| {
            n += 1;
            lanes.iter().flat_map(|&lane| input(alu, slot, n - 1, lane)).collect()
        })
    };
    let own: &[usize] = &[lane];
    match op {
        AluOp::Mad | AluOp::Cnd | AluOp::Cmp => lanes([own, own, own]),
        AluOp::Min | AluOp::Max => lanes([own, own, &[]]),
        AluOp::Frc
        | AluOp::Ex2
        | AluOp::Ln2
        | AluOp::Rcp
        | AluOp::Rsq
        | AluOp::Sin
        | AluOp::Cos => lanes([own, &[], &[]]),
        AluOp::Dp3 => lanes([&[0, 1, 2], &[0, 1, 2], &[]]),
        AluOp::Dp4 => lanes([&[0, 1, 2, 3], &[0, 1, 2, 3], &[]]),
        AluOp::D2a => lanes([&[0, 1], &[0, 1], &[2]]),
        AluOp::Sop => operands(group, alu, slot, 3),
        AluOp::Dp => operands(group, alu, slot, 0),
        AluOp::Mdh | AluOp::Mdv => {
            let [corner, right, below] = group.quad(slot);
            let other = if op == AluOp::Mdh { right } else { below };
            let of = |slot| vec![(slot, alu.units[unit].sources[0], lane, false)];
            let [_, b, _] = lanes([&[], own, &[]]);
            [of(corner), b, of(other)]
        }
        // No program of this test has data sharing.
        AluOp::MovaFloor | AluOp::Reserved(_) => [Vec::new(), Vec::new(), Vec::new()],
    }
}

fn is_neighbour(alu: &Alu, lane: usize) -> bool {
    let op = alu.units[usize::from(lane == 3)].op;
    let op = match op {
        AluOp::Sop => alu.units[1].op,
        AluOp::Dp => alu.units[0].op,
        op => op,
    };
    matches!(op, AluOp::Mdh | AluOp::Mdv)
}

/// The slots that are asked for their wish, steps 1 to 3 of isa.md 5.2.
fn asked(group: &GroupState, fc: &Fc, slot: usize) -> bool {
    let is_end = matches!(fc.op, FcOp::EndLoop | FcOp::EndRep);
    let frames = group.frames();
    for (n, frame) in frames.iter().enumerate() {
        let innermost = n + 1 == frames.len();
        let continued = frame.continued >> slot & 1 != 0 && !(is_end && innermost);
        if frame.broken >> slot & 1 != 0 || continued {
            return false;
        }
    }
    // ELSE wakes those that wait at this level, and puts the others to sleep.
    group.counter(slot) == if fc.b_else { Some(0) } else { None }
}

impl Model<'_> {
    fn constant(&self, group: &GroupState, source: Source) -> Option<usize> {
        match source.kind() {
            SourceKind::Constant(n) => {
                let offset = if source.relative { i64::from(group.al()) } else { 0 };
                Some((i64::from(n) + offset).rem_euclid(256) as usize)
            }
            SourceKind::Temp(_) | SourceKind::Inline(_) => None,
        }
    }

    fn tags(&self, group: &GroupState, (slot, source, channel, _): Operand) -> Tags {
        match source.kind() {
            SourceKind::Temp(n) => self.slots[slot].temps[temp(group, n, source.relative)][channel],
            SourceKind::Constant(_) | SourceKind::Inline(_) => Tags::default(),
        }
    }

    fn bits(&self, group: &GroupState, (slot, source, channel, _): Operand) -> u32 {
        match source.kind() {
            SourceKind::Temp(n) => group.temp(slot, temp(group, n, source.relative))[channel],
            SourceKind::Constant(_) => {
                let n = self.constant(group, source).expect("a constant");
                self.launch.constants.float[n][channel]
            }
            SourceKind::Inline(code) => float::inline_constant(code.into()),
        }
    }

    fn use_of(&mut self, pc: u32, point: Point, tags: &Tags) {
        if !tags.is_empty() {
            self.events.add(Code::Uninitialised, pc, "", point, tags.names());
        }
    }

    fn alu(
        &mut self,
        group: &GroupState,
        common: &Common,
        alu: &Alu,
        results: &[Option<LaneResult>],
    ) {
        let pc = group.pc();
        let umrt = self.launch.program.umrt();
        let before = self.slots.clone();
        let result_lane = match common.alu_result_sel {
            AluResultSel::Red => 0,
            AluResultSel::Alpha => 3,
        };
        for slot in 0..SLOTS {
            let Some(result) = results[slot] else { continue };
            let covered = group.covered() >> slot & 1 != 0;
            let point = group.point(slot);
            let predicates = group.predicates(slot);
            let mut tags: [Tags; 4] = Default::default();
            let mut constants = BTreeSet::new();
            let mut late: BTreeSet<(usize, &str)> = BTreeSet::new();
            let mut not_finite = false;
            let all_gates = (0..4).all(|lane| gate(common, predicates, lane));
            for (lane, tags) in tags.iter_mut().enumerate() {
                let has = |mask: u8| mask >> lane & 1 != 0;
                let free = common.class == Type::Alu && has(common.omask)
                    || alu.alu_wmask && lane == result_lane;
                let out = common.class == Type::Out && has(common.omask);
                let out_now = out && if umrt { all_gates } else { gate(common, predicates, lane) };
                let gated = gate(common, predicates, lane)
                    && (has(common.wmask) || alu.w_omask && lane == 3);
                let wanted = free || out || has(common.wmask) || alu.w_omask && lane == 3;
                if !wanted {
                    continue;
                }
                let effective = free || out_now || gated;
                let inputs = operands(group, alu, slot, lane);
                // Selects.
                let op = alu.units[usize::from(lane == 3)].op;
                let chosen: Vec<Operand> = match op {
                    AluOp::Cnd | AluOp::Cmp => {
                        let c = f32::from_bits(float::ftz(result.inputs[2][lane]));
                        let a = if op == AluOp::Cnd { c > 0.5 } else { c >= 0.0 };
                        let [first, second, condition] = inputs.clone();
                        condition.into_iter().chain(if a { first } else { second }).collect()
                    }
                    _ => inputs.iter().flatten().copied().collect(),
                };
                for &operand in &chosen {
                    tags.extend(self.tags(group, operand));
                }
                if !effective {
                    continue;
                }
                let all: Vec<Operand> = inputs.into_iter().flatten().collect();
                constants.extend(all.iter().filter_map(|o| self.constant(group, o.1)));
                for &operand in &all {
                    let (of, source, channel, presubtract) = operand;
                    let SourceKind::Temp(n) = source.kind() else {
                        continue;
                    };
                    let register = temp(group, n, source.relative);
                    match before[of].fetching.get(&(register, channel)) {
                        Some(true) => _ = late.insert((register, "TEX_SEM_WAIT")),
                        Some(false) => _ = late.insert((register, "TEX_SEM_ACQUIRE")),
                        None => {}
                    }
                    let foreign = is_neighbour(alu, lane)
                        && source == alu.units[usize::from(lane == 3)].sources[0]
                        && channel == lane;
                    let hazard = before[of].fresh.contains(&(register, channel));
                    if hazard
                        && (presubtract
                            || foreign && self.is_corner(group, alu, slot, lane, operand))
                    {
                        late.insert((register, "NOP"));
                    }
                }
                let is_finite = |bits: u32| f32::from_bits(bits).is_finite();
                not_finite |= !is_finite(result.value[lane])
                    && all.iter().all(|&operand| is_finite(self.bits(group, operand)));
            }
            if covered {
                for n in constants {
                    self.missing(ConstantKind::Float, n, point);
                }
                for (register, rule) in late {
                    let subject = format!("r{register}, {rule}");
                    self.events.add(Code::StaleRead, pc, &subject, point, Vec::new());
                }
                if not_finite {
                    self.events.add(Code::NotFinite, pc, "", point, Vec::new());
                }
            }
            // Writes.
            let mut now = std::mem::take(&mut self.slots[slot]);
            let unsure: [Tags; 4] = std::array::from_fn(|lane| {
                gate_bit(common, lane).map_or(Tags::default(), |bit| before[slot].predicates[bit])
            });
            now.fresh.clear();
            for lane in 0..4 {
                let has = |mask: u8| mask >> lane & 1 != 0;
                let passes = gate(common, predicates, lane);
                let value = || {
                    if unsure[lane].is_empty() {
                        passes.then(|| tags[lane])
                    } else {
                        Some(unsure[lane])
                    }
                };
                let unit = &alu.units[usize::from(lane == 3)];
                if has(common.wmask) {
                    let register = temp(group, unit.dest, unit.dest_rel);
                    if let Some(tags) = value() {
                        now.temps[register][lane] = tags;
                    }
                    if passes {
                        now.fetching.remove(&(register, lane));
                        if !common.nop {
                            now.fresh.insert((register, lane));
                        }
                    }
                }
                if common.class == Type::Out && has(common.omask) && !umrt {
                    let output = usize::from(unit.target) & 3;
                    if let Some(tags) = value() {
                        now.outputs[output][lane] = Some((tags, pc));
                    }
                    now.written[output] |= u8::from(passes) << lane;
                }
                if alu.w_omask
                    && lane == 3
                    && let Some(tags) = value()
                {
                    now.own_value = Some((tags, pc));
                }
                if common.class == Type::Alu && has(common.omask) {
                    now.predicates[lane] = tags[lane];
                    now.unwaited.insert(lane);
                }
            }
            if alu.alu_wmask {
                now.alu_result = tags[result_lane];
                now.unwaited.insert(4);
                now.result_written = true;
                now.result_valid = true;
            }
            self.slots[slot] = now;
            if umrt && common.class == Type::Out && common.omask == 15 && covered {
                let possible = (0..4).all(|n| gate(common, predicates, n) || !unsure[n].is_empty());
                if possible && self.launch.outputs[0].is_some() && self.launch.out_mask & 1 != 0 {
                    let all = Tags::all(tags.into_iter().chain(unsure));
                    self.use_of(pc, point, &all);
                }
            }
        }
        // Slots that did not take part have nothing fresh.
        for (slot, result) in self.slots.iter_mut().zip(results) {
            if result.is_none() {
                slot.fresh.clear();
            }
        }
    }

    /// Whether an operand is A or C of MDH or MDV, not B that happens to be the same.
    fn is_corner(
        &self,
        group: &GroupState,
        alu: &Alu,
        slot: usize,
        lane: usize,
        operand: Operand,
    ) -> bool {
        let [a, _, c] = operands(group, alu, slot, lane);
        a.contains(&operand) || c.contains(&operand)
    }

    fn missing(&mut self, kind: ConstantKind, n: usize, point: Point) {
        let given = self.launch.constants.given.expect("known");
        let (has, letter) = match kind {
            ConstantKind::Float => (given.float[n / 64] >> (n % 64) & 1 != 0, "c"),
            ConstantKind::Int => (given.int >> n & 1 != 0, "n"),
            ConstantKind::Bool => (given.bool >> n & 1 != 0, "b"),
        };
        if !has {
            // One finding for each constant, wherever it is read.
            let subject = format!("{letter}{n}");
            self.events.add(Code::MissingConstant, 0, &subject, point, Vec::new());
        }
    }

    fn tex(&mut self, group: &GroupState, common: &Common, tex: &Tex) {
        let pc = group.pc();
        let register = temp(group, tex.src.addr, tex.src.relative);
        let number = |channel: Channel| match channel {
            Channel::R => 0,
            Channel::G => 1,
            Channel::B => 2,
            Channel::A => 3,
        };
        let channels: Vec<usize> = match tex.op {
            TexOp::Texkill => tex.src.swizzle.iter().map(|&c| number(c)).collect(),
            TexOp::Proj => [0, 1, 3].iter().map(|&n| number(tex.src.swizzle[n])).collect(),
            _ => tex.src.swizzle[..2].iter().map(|&c| number(c)).collect(),
        };
        let fetches = !matches!(tex.op, TexOp::Nop | TexOp::Texkill | TexOp::Reserved(_))
            && common.wmask != 0;
        for slot in 0..SLOTS {
            let covered = group.covered() >> slot & 1 != 0;
            let active = group.active() >> slot & 1 != 0;
            let point = group.point(slot);
            self.slots[slot].fresh.clear();
            let takes_part = match tex.op {
                TexOp::Texkill => active,
                _ => {
                    fetches
                        && (active || common.write_inactive)
                        && (covered || !tex.ignore_uncovered)
                }
            };
            if !takes_part {
                continue;
            }
            let predicates = group.predicates(slot);
            let late: BTreeSet<&str> = channels
                .iter()
                .filter_map(|&channel| self.slots[slot].fetching.get(&(register, channel)))
                .map(|&held| if held { "TEX_SEM_WAIT" } else { "TEX_SEM_ACQUIRE" })
                .collect();
            for rule in late.into_iter().filter(|_| covered) {
                let subject = format!("r{register}, {rule}");
                self.events.add(Code::StaleRead, pc, &subject, point, Vec::new());
            }
            let of = |channel: &usize| self.slots[slot].temps[register][*channel];
            if tex.op == TexOp::Texkill {
                let kills = |channel: &usize| {
                    let value = f32::from_bits(float::ftz(group.temp(slot, register)[*channel]));
                    of(channel).is_empty() && value.is_sign_negative() && !value.is_nan()
                };
                if covered && !channels.iter().any(kills) {
                    let tags = Tags::all(channels.iter().map(of));
                    self.use_of(pc, point, &tags);
                }
                continue;
            }
            let unsure: Vec<Tags> = (0..4)
                .map(|lane| {
                    let bit = gate_bit(common, lane);
                    bit.map_or(Tags::default(), |bit| self.slots[slot].predicates[bit])
                })
                .collect();
            let written: Vec<usize> = (0..4).filter(|lane| common.wmask >> lane & 1 != 0).collect();
            let matters = written
                .iter()
                .any(|&lane| gate(common, predicates, lane) || !unsure[lane].is_empty());
            if covered && matters {
                let tags = Tags::all(channels.iter().map(of));
                self.use_of(pc, point, &tags);
            }
            let dest = temp(group, tex.dest, tex.dest_rel);
            for lane in written {
                let passes = gate(common, predicates, lane);
                if passes || !unsure[lane].is_empty() {
                    self.slots[slot].temps[dest][lane] = unsure[lane];
                }
                if passes {
                    self.slots[slot].fetching.insert((dest, lane), false);
                }
            }
        }
    }

    fn flow(&mut self, group: &GroupState, common: &Common, fc: &Fc) {
        let pc = group.pc();
        let bit = match common.pred_sel[0] {
            PredSel::None | PredSel::Reserved(_) => None,
            PredSel::R | PredSel::Rgba => Some(0),
            PredSel::G => Some(1),
            PredSel::B => Some(2),
            PredSel::A => Some(3),
        };
        let boolean = usize::from(self.launch.constants.bool >> fc.bool_addr & 1 != 0);
        let table = |a: bool, p: bool, b: usize| {
            fc.jump_func >> (usize::from(a) << 2 | usize::from(p) << 1 | b) & 1 != 0
        };
        let both = [false, true];
        let all = |differs: &dyn Fn(bool, bool) -> bool| {
            both.iter().any(|&x| both.iter().any(|&y| differs(x, y)))
        };
        // Without a predicate bit the predicate is true.
        let can_be = |p: bool| p || bit.is_some();
        let reads_result =
            all(&|p, b| can_be(p) && table(false, p, b.into()) != table(true, p, b.into()));
        let reads_predicate = all(&|a, b| table(a, false, b.into()) != table(a, true, b.into()));
        let reads_boolean = all(&|a, p| can_be(p) && table(a, p, 0) != table(a, p, 1));
        for slot in 0..SLOTS {
            if common.alu_wait {
                self.slots[slot].fresh.clear();
            }
            if group.covered() >> slot & 1 == 0 || !asked(group, fc, slot) {
                self.slots[slot].result_valid = false;
                continue;
            }
            let point = group.point(slot);
            // Every value that an undefined input may have.
            let state = &self.slots[slot];
            let of_predicate = bit.map_or(Tags::default(), |bit| state.predicates[bit]);
            let actual = bit
                .is_none_or(|bit| (group.predicates(slot) >> bit & 1 != 0) != common.pred_inv[0]);
            let results = if state.alu_result.is_empty() {
                vec![group.alu_result(slot)]
            } else {
                both.to_vec()
            };
            let predicates = if of_predicate.is_empty() { vec![actual] } else { both.to_vec() };
            let wishes: BTreeSet<bool> = results
                .iter()
                .flat_map(|&a| predicates.iter().map(move |&p| (a, p)))
                .map(|(a, p)| table(a, p, boolean))
                .collect();
            let (unwaited, written) = (state.unwaited.clone(), state.result_written);
            let valid = state.result_valid;
            if wishes.len() > 1 {
                let tags = Tags::all([state.alu_result, of_predicate]);
                self.use_of(pc, point, &tags);
            }
            if matches!(fc.op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep) {
                self.missing(ConstantKind::Int, fc.int_addr.into(), point);
            }
            if reads_boolean {
                self.missing(ConstantKind::Bool, fc.bool_addr.into(), point);
            }
            let mut stale = |subject: &str| {
                self.events.add(Code::StaleRead, pc, subject, point, Vec::new());
            };
            if reads_result && written && !valid {
                stale("alu_result, valid ALU result");
            } else if reads_result && unwaited.contains(&4) {
                stale("alu_result, ALU_WAIT");
            }
            if reads_predicate && bit.is_some_and(|bit| unwaited.contains(&bit)) {
                stale("p, ALU_WAIT");
            }
            self.slots[slot].result_valid = false;
        }
    }
}

impl Model<'_> {
    /// The accesses that meet a write by another point: of each code the number and the points.
    pub fn races(&mut self) {
        for (point, bytes, is_write) in std::mem::take(&mut self.accesses) {
            let meets = bytes.iter().any(|byte| {
                self.writers.get(byte).is_some_and(|writers| writers.iter().any(|w| *w != point))
            });
            if meets {
                let code = if is_write { Code::WriteRace } else { Code::ReadRace };
                self.events.add(code, 0, "", point, Vec::new());
            }
        }
    }
}
