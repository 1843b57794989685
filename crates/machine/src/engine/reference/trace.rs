//! An observer that records what every instruction does to one point: text for a person, or data.

use super::alu::LaneResult;
use super::group::GroupState;
use super::observer::{Destination, Fetched, Observer};
use crate::memory::Element;
use ctm_isa::float;
use ctm_isa::isa::{
    Alu, AluOp, Body, FcOp, FieldValue, Instruction, LETTERS, Register, SourceKind, SourcesRead,
    Tex, TexOp, Type, UNIT_MASKS, Usage,
};
use ctm_lang::program::{Image, NameKind};
use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;

/// One event of a traced point. [`fmt::Display`] gives lines for a person, serde an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TraceEvent {
    /// The point starts.
    Begin {
        /// Column and row.
        point: (u32, u32),
        /// Its slot in the group.
        slot: usize,
        /// What temporary 0 starts with.
        temporary: Vec<Lane>,
    },
    /// An instruction.
    Step(Box<Step>),
    /// A write of the point, in effect at the end of the launch.
    Write {
        /// Output or conditional buffer, with the author's name.
        destination: String,
        /// Byte address.
        address: u32,
        /// The bytes written, in hexadecimal.
        bytes: String,
    },
    /// The point ends.
    End {
        /// Column and row.
        point: (u32, u32),
        /// Instructions that its group executed.
        instructions: u64,
        /// How it ended.
        how: &'static str,
    },
    /// The point is of the domain and never starts: the mask, or the conditional operation at
    /// location PE, leaves it out.
    Skipped {
        /// Column and row.
        point: (u32, u32),
    },
}

/// One instruction of a traced point.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// The instruction's slot.
    pub pc: u32,
    /// Its disassembly.
    pub text: String,
    /// The label at this slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its place in the source, such as `kernel.dpp:7:5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The author's names of the registers that it uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Naming>,
    /// Why the point does not take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inactive: Option<String>,
    /// What it read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Value>,
    /// What it fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch: Option<Fetch>,
    /// What it wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Value>,
    /// Anything else, such as `killed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A register and the author's name for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Naming {
    /// Such as `r3`.
    pub register: String,
    /// The name.
    pub name: String,
}

/// Such as `r3 colour`.
impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.register, self.name)
    }
}

/// Lanes of a register or of an operand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// The register, or A, B, C for an operand; `coordinate` for that of a texkill.
    pub of: String,
    /// The lanes that count.
    pub lanes: Vec<Lane>,
}

/// One channel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// r, g, b or a; `None` for a single value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<char>,
    /// The number; null in JSON if it is not finite.
    pub value: f32,
    /// Its bits; `None` for a truth value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
}

/// A fetch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fetch {
    /// The input, with the author's name.
    pub input: String,
    /// The texel that the coordinates name.
    pub meant: (i32, i32),
    /// The texel that was read.
    pub read: (u32, u32),
    /// Whether the coordinates were outside the input and clamped.
    pub clamped: bool,
    /// What was read.
    pub lanes: Vec<Lane>,
}

/// Records one point of one launch.
pub struct Trace<'a, F: FnMut(TraceEvent)> {
    point: (u32, u32),
    image: &'a Image,
    pcs: RangeInclusive<u32>,
    slot: Option<usize>,
    begun: bool,
    /// The predicates of the point before the running instruction.
    predicates: u8,
    /// Its AR.X before the running instruction.
    ar_x: i32,
    step: Option<Box<Step>>,
    sink: F,
}

impl<'a, F: FnMut(TraceEvent)> Trace<'a, F> {
    /// A tracer of point (i, j), for a launch of the program with this image. It passes events to
    /// `sink`.
    pub fn new(point: (u32, u32), image: &'a Image, sink: F) -> Trace<'a, F> {
        let pcs = 0..=u32::MAX;
        let (slot, begun, step) = (None, false, None);
        Trace { point, image, pcs, slot, begun, predicates: 0, ar_x: 0, step, sink }
    }

    /// Records, after a launch with the point in its domain, if the point never started.
    pub fn launch_end(&mut self) {
        if !self.begun {
            (self.sink)(TraceEvent::Skipped { point: self.point });
        }
    }

    /// Records only the instructions in these slots.
    pub fn only(self, pcs: RangeInclusive<u32>) -> Trace<'a, F> {
        Trace { pcs, ..self }
    }

    /// The slot of the point, if it is in this group. The groups of a pair run in turn.
    fn slot_in(&self, group: &GroupState) -> Option<usize> {
        self.slot.filter(|&slot| group.point(slot) == self.point)
    }

    /// Passes on the running instruction.
    fn finish(&mut self) {
        if let Some(step) = self.step.take().filter(|step| self.pcs.contains(&step.pc)) {
            (self.sink)(TraceEvent::Step(step));
        }
    }

    /// What an ALU or OUT instruction did.
    fn alu(
        &mut self,
        group: &GroupState,
        slot: usize,
        instruction: &Instruction,
        alu: &Alu,
        result: &LaneResult,
    ) {
        let (image, predicates) = (self.image, self.predicates);
        let Some(step) = &mut self.step else { return };
        let common = &instruction.common;
        let usage = Usage::of(instruction).unwrap_or_default();
        let mut reads = usage.inputs;
        for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
            if unit.op.is_neighbour() {
                // A and C are the two points' values of what B names.
                let lanes = reads[1] & mask;
                reads = reads.map(|read| read | lanes);
            }
        }
        let [rgb, alpha] = alu.units.map(|unit| unit.op);
        let both = rgb == AluOp::Dp4 && usage.units == [true; 2] && alpha.is_neighbour();
        for (n, (name, read)) in ["A", "B", "C"].into_iter().zip(reads).enumerate() {
            let mut values = result.inputs[n];
            if both {
                // DP4 reads the alpha unit's own input.
                values[3] = result.input(rgb, n, 3);
            }
            put(&mut step.operands, name.to_string(), read, &values);
            if both && n == 0 {
                let name = format!("A of {}", alpha.name());
                put(&mut step.operands, name, read & 8, &result.inputs[0]);
            }
        }
        let gate = common.gate(predicates);
        let value = &result.value;
        let shares = (group.active() & group.covered()) >> slot & 1 != 0;
        // The name of a destination, and whether the point writes it.
        let [rgb, alpha] =
            alu.units.map(|unit| match instruction.register(unit.dest, unit.dest_rel) {
                Register::Temp(n, relative) => {
                    let n = group.temp_index(n, relative);
                    (temp_name(group, n), shares || n < group.first_clause)
                }
                Register::Global(n, ar_x) => {
                    let n = i64::from(n) + if ar_x { i64::from(self.ar_x) } else { 0 };
                    let exists = (0..group.simd.globals.len() as i64).contains(&n);
                    (format!("g{n}"), shares && exists)
                }
            });
        let writes = [rgb.1, alpha.1].map(|writes| if writes { 15 } else { 0 });
        let mask = writes[0] & UNIT_MASKS[0] | writes[1] & UNIT_MASKS[1];
        put_units(&mut step.written, &[rgb.0, alpha.0], common.wmask & gate & mask, value);
        if group.ar_x(slot) != self.ar_x {
            let value = group.ar_x(slot) as f32;
            let lane = Lane { channel: None, value, bits: None };
            step.written.push(Value { of: "AR.X".into(), lanes: vec![lane] });
        }
        let uncached = image.umrt && common.omask == 15 && gate == 15;
        match common.class {
            Type::Out if uncached => {
                put(&mut step.written, "uncached write".into(), 15, value);
            }
            Type::Out if !image.umrt => {
                let targets = alu.units.map(|unit| unit.target as usize & 3);
                let names = targets.map(|n| image.named(NameKind::Output, n as u32));
                put_units(&mut step.written, &names, common.omask & gate, value);
            }
            Type::Alu if common.omask != 0 => {
                let bits = group.predicates(slot);
                let lane = |n: usize| Lane {
                    channel: Some(LETTERS[n]),
                    value: f32::from(bits >> n & 1),
                    bits: None,
                };
                let lanes = (0..4).filter(|n| common.omask >> n & 1 != 0).map(lane).collect();
                step.written.push(Value { of: "predicates".into(), lanes });
            }
            Type::Alu | Type::Out | Type::Tex | Type::Fc => {}
        }
        if alu.alu_wmask {
            let value = f32::from(u8::from(group.alu_result(slot)));
            let lane = Lane { channel: None, value, bits: None };
            step.written.push(Value { of: "ALU result".into(), lanes: vec![lane] });
        }
        if alu.w_omask && gate & 8 != 0 {
            let lane = Lane { channel: None, ..Lane::of(3, value[3]) };
            step.written.push(Value { of: "conditional value".into(), lanes: vec![lane] });
        }
        if step.written.is_empty() && !usage.is_idle() {
            step.note = Some("writes nothing: its predicates are 0".into());
        }
    }

    /// What a TEX instruction did.
    fn tex(&mut self, group: &GroupState, slot: usize, instruction: &Instruction, tex: &Tex) {
        let Some(step) = &mut self.step else { return };
        if tex.op == TexOp::Texkill && step.inactive.is_none() {
            let source = group.temp(slot, group.temp_index(tex.src.addr, tex.src.relative));
            let tested = tex.src.swizzle.map(|channel| float::ftz(source[channel.code() as usize]));
            put(&mut step.operands, "coordinate".into(), 15, &tested);
            if group.covered() >> slot & 1 == 0 {
                step.note = Some("killed: a channel is negative".into());
            }
        } else if step.fetch.is_some() {
            let common = &instruction.common;
            let dest = group.temp_index(tex.dest, tex.dest_rel);
            let mask = common.wmask & common.gate(self.predicates);
            put(&mut step.written, temp_name(group, dest), mask, &group.temp(slot, dest));
        }
    }

    /// What an FC instruction did.
    fn fc(&mut self, group: &GroupState, slot: usize) {
        let counter = match group.counter(slot) {
            Some(counter) => format!("branch counter {counter}"),
            None => "not branch-inactive".to_string(),
        };
        let pc = group.pc();
        let label = self.image.name_of(NameKind::Label, pc);
        let label = label.map(|label| format!(" `{label}`")).unwrap_or_default();
        let Some(step) = &mut self.step else { return };
        step.note = Some(format!(
            "-> pc {pc}{label}, {counter}, {} loop frame(s), aL {}, {} address(es)",
            group.frames().len(),
            group.al(),
            group.calls().len()
        ));
    }
}

/// The author's names of the registers of an instruction.
pub fn names(image: &Image, instruction: &Instruction) -> Vec<Naming> {
    let mut names: Vec<Naming> = Vec::new();
    let mut add = |kind, letter: char, number: u8| {
        let register = format!("{letter}{number}");
        if let Some(name) = image.name_of(kind, number.into())
            && names.iter().all(|known| known.register != register)
        {
            names.push(Naming { register, name: name.to_string() });
        }
    };
    let common = &instruction.common;
    match &instruction.body {
        Body::Alu(alu) => {
            let usage = Usage::of(instruction).unwrap_or_default();
            let read = SourcesRead::of(alu, &usage);
            for (n, unit) in alu.units.iter().enumerate() {
                if common.wmask & UNIT_MASKS[n] != 0 && !unit.dest_rel {
                    add(NameKind::Temp, 'r', unit.dest);
                }
                if common.class == Type::Out && common.omask & UNIT_MASKS[n] != 0 {
                    add(NameKind::Output, 'o', unit.target);
                }
                for (k, source) in unit.sources.iter().enumerate() {
                    match source.kind() {
                        _ if source.relative || !read.reads(n, k) => {}
                        SourceKind::Temp(number) => add(NameKind::Temp, 'r', number),
                        SourceKind::Constant(number) => add(NameKind::Float, 'c', number),
                        SourceKind::Inline(_) => {}
                    }
                }
            }
        }
        Body::Tex(tex) => {
            if tex.op.fetches() {
                if !tex.dest_rel {
                    add(NameKind::Temp, 'r', tex.dest);
                }
                add(NameKind::Input, 'i', tex.input);
            }
            if tex.op != TexOp::Nop && !tex.src.relative {
                add(NameKind::Temp, 'r', tex.src.addr);
            }
        }
        Body::Fc(fc) => {
            if matches!(fc.op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep) {
                add(NameKind::Int, 'n', fc.int_addr);
            }
            // The boolean is bit 0 of the truth table's index.
            if (fc.jump_func ^ (fc.jump_func >> 1)) & 0x55 != 0 {
                add(NameKind::Bool, 'b', fc.bool_addr);
            }
        }
    }
    names
}

impl<F: FnMut(TraceEvent)> Observer for Trace<'_, F> {
    fn group_begin(&mut self, group: &GroupState) {
        if let Some(slot) = group.covered_slot(self.point) {
            (self.slot, self.begun) = (Some(slot), true);
            let temporary = lanes(15, &group.temp(slot, 0));
            (self.sink)(TraceEvent::Begin { point: self.point, slot, temporary });
        }
    }

    fn group_end(&mut self, group: &GroupState, faulted: bool) {
        // A fault ends the group within an instruction.
        self.finish();
        if let Some(slot) = self.slot_in(group) {
            self.slot = None;
            let how = if faulted {
                "its group faulted and writes nothing"
            } else if group.covered() >> slot & 1 == 0 {
                "killed"
            } else {
                "done"
            };
            let instructions = group.executed();
            (self.sink)(TraceEvent::End { point: self.point, instructions, how });
        }
    }

    fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        self.finish();
        let Some(slot) = self.slot_in(group) else { return };
        self.predicates = group.predicates(slot);
        self.ar_x = group.ar_x(slot);
        let inactive = if group.active() >> slot & 1 != 0 {
            None
        } else if let Some(counter) = group.counter(slot) {
            Some(format!("inactive, branch counter {counter}"))
        } else {
            Some("inactive in a loop".to_string())
        };
        let pc = group.pc();
        self.step = Some(Box::new(Step {
            pc,
            text: ctm_lang::asm::line(&instruction.encode(), self.image.sharing),
            label: self.image.name_of(NameKind::Label, pc).map(String::from),
            place: self.image.location(pc).map(|place| place.to_string()),
            names: names(self.image, instruction),
            inactive,
            ..Step::default()
        }));
    }

    fn after(
        &mut self,
        group: &GroupState,
        _pc: u32,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        let Some(slot) = self.slot_in(group) else { return };
        match &instruction.body {
            Body::Alu(alu) => {
                if let Some(result) = results.get(slot).copied().flatten() {
                    self.alu(group, slot, instruction, alu, &result);
                }
            }
            Body::Tex(tex) => self.tex(group, slot, instruction, tex),
            Body::Fc(_) => self.fc(group, slot),
        }
        self.finish();
    }

    fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        if self.slot_in(group) == Some(slot)
            && let Some(step) = &mut self.step
        {
            step.fetch = Some(Fetch {
                input: self.image.named(NameKind::Input, fetch.input as u32),
                meant: fetch.meant,
                read: fetch.read,
                clamped: fetch.is_clamped(),
                lanes: lanes(15, &fetch.channels),
            });
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
        let destination = match destination {
            Destination::Output(n) => self.image.named(NameKind::Output, n as u32),
            Destination::Uncached => {
                format!("{} (uncached)", self.image.named(NameKind::Output, 0))
            }
            Destination::Condition => "the conditional buffer".to_string(),
        };
        let bytes: Vec<String> = (0..16)
            .filter(|n| element.byte_mask >> n & 1 != 0)
            .map(|n| format!("{:02x}", element.bytes[n]))
            .collect();
        (self.sink)(TraceEvent::Write { destination, address, bytes: bytes.join(" ") });
    }
}

impl Lane {
    fn of(channel: usize, bits: u32) -> Lane {
        Lane { channel: Some(LETTERS[channel]), value: f32::from_bits(bits), bits: Some(bits) }
    }
}

/// The lanes of a mask.
fn lanes(mask: u8, values: &[u32; 4]) -> Vec<Lane> {
    (0..4).filter(|n| mask >> n & 1 != 0).map(|n| Lane::of(n, values[n])).collect()
}

/// Adds the lanes of a mask, if there are any.
fn put(list: &mut Vec<Value>, of: String, mask: u8, values: &[u32; 4]) {
    if mask != 0 {
        list.push(Value { of, lanes: lanes(mask, values) });
    }
}

/// Adds what the two units wrote, as one value if it is in one register.
fn put_units(list: &mut Vec<Value>, registers: &[String; 2], mask: u8, values: &[u32; 4]) {
    let [rgb, alpha] = registers;
    if rgb == alpha {
        put(list, rgb.clone(), mask, values);
    } else {
        put(list, rgb.clone(), mask & UNIT_MASKS[0], values);
        put(list, alpha.clone(), mask & UNIT_MASKS[1], values);
    }
}

/// What a listing calls a temporary: `r3`, or `ct0` for a clause temporary.
fn temp_name(group: &GroupState, n: usize) -> String {
    n.checked_sub(group.first_clause).map_or(format!("r{n}"), |clause| format!("ct{clause}"))
}

/// `r1.rg = 1 (3f800000), 2 (40000000)`.
fn value_text(of: &str, lanes: &[Lane]) -> String {
    let letters: String = lanes.iter().filter_map(|lane| lane.channel).collect();
    let dot = if letters.is_empty() { "" } else { "." };
    format!("{of}{dot}{letters} = {}", lanes_text(lanes))
}

fn lanes_text(lanes: &[Lane]) -> String {
    let text = |lane: &Lane| match lane.bits {
        Some(bits) => format!("{} ({bits:08x})", lane.value),
        None => lane.value.to_string(),
    };
    lanes.iter().map(text).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceEvent::Begin { point: (i, j), slot, temporary } => {
                let r0 = lanes_text(temporary);
                write!(f, "point ({i}, {j}) starts in slot {slot}: r0 = {r0}")
            }
            TraceEvent::Step(step) => step.fmt(f),
            TraceEvent::Write { destination, address, bytes } => {
                write!(f, "writes {destination} at 0x{address:08x}: {bytes}")
            }
            TraceEvent::End { point: (i, j), instructions, how } => {
                write!(f, "point ({i}, {j}) ends after {instructions} group instructions: {how}")
            }
            TraceEvent::Skipped { point: (i, j) } => {
                write!(
                    f,
                    "point ({i}, {j}) does not start: the mask or the test at location PE leaves it out"
                )
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INDENT: &str = "\n       ";
        if let Some(label) = &self.label {
            writeln!(f, "     {label}:")?;
        }
        write!(f, "{:3}  {}", self.pc, self.text)?;
        if let Some(inactive) = &self.inactive {
            write!(f, "   [{inactive}]")?;
        }
        let names = self.names.iter().map(Naming::to_string);
        let comments: Vec<String> = self.place.iter().cloned().chain(names).collect();
        if !comments.is_empty() {
            write!(f, "   # {}", comments.join(", "))?;
        }
        for value in &self.operands {
            write!(f, "{INDENT}{}", value_text(&value.of, &value.lanes))?;
        }
        if let Some(Fetch { input, meant: (x, y), read, clamped, lanes }) = &self.fetch {
            write!(f, "{INDENT}{input} at ({x}, {y})")?;
            if *clamped {
                write!(f, ", clamped to ({}, {})", read.0, read.1)?;
            } else if (i64::from(*x), i64::from(*y)) != (i64::from(read.0), i64::from(read.1)) {
                write!(f, ", which repeats ({}, {})", read.0, read.1)?;
            }
            write!(f, ": {}", lanes_text(lanes))?;
        }
        for value in &self.written {
            write!(f, "{INDENT}{}", value_text(&value.of, &value.lanes))?;
        }
        match &self.note {
            Some(note) => write!(f, "{INDENT}{note}"),
            None => Ok(()),
        }
    }
}
