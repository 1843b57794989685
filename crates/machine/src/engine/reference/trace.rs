//! An observer that records what every instruction does to one point: text for a person, or data.

use super::alu::LaneResult;
use super::group::GroupState;
use super::observer::{Destination, Observer, Store};
use super::step::{Step, Written};
use ctm_isa::float;
use ctm_isa::isa::{
    Alu, AluOp, Body, FcOp, FieldValue, Instruction, LETTERS, Place, SourceKind, SourcesRead,
    TexOp, To, Type, UNIT_MASKS, Usage,
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
        /// The initial value of temporary 0.
        temporary: Vec<Lane>,
    },
    /// An instruction.
    Step(Box<TraceStep>),
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
        /// The kind of its end.
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
pub struct TraceStep {
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
    /// The reason why the point does not take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inactive: Option<String>,
    /// The operands that it read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Value>,
    /// Its fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch: Option<Fetch>,
    /// The values that it wrote.
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
    /// The texel's channels.
    pub lanes: Vec<Lane>,
}

/// Records one point of one launch.
pub struct Trace<'a, F: FnMut(TraceEvent)> {
    point: (u32, u32),
    image: &'a Image,
    pcs: RangeInclusive<u32>,
    slot: Option<usize>,
    begun: bool,
    sink: F,
}

impl<'a, F: FnMut(TraceEvent)> Trace<'a, F> {
    /// A tracer of point (i, j), for a launch of the program with this image. It passes events to
    /// `sink`.
    pub fn new(point: (u32, u32), image: &'a Image, sink: F) -> Trace<'a, F> {
        Trace { point, image, pcs: 0..=u32::MAX, slot: None, begun: false, sink }
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

    /// The operands that an ALU or OUT instruction read.
    fn operands(&self, step: &Step<'_>, alu: &Alu, result: &LaneResult) -> Vec<Value> {
        let usage = Usage::of(step.instruction).unwrap_or_default();
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
        let mut operands = Vec::new();
        for (n, (name, read)) in ["A", "B", "C"].into_iter().zip(reads).enumerate() {
            let mut values = result.inputs[n];
            if both {
                // DP4 reads the alpha unit's own input.
                values[3] = result.input(rgb, n, 3);
            }
            put(&mut operands, name.to_string(), lanes(read, &values));
            if both && n == 0 {
                let name = format!("A of {}", alpha.name());
                put(&mut operands, name, lanes(read & 8, &result.inputs[0]));
            }
        }
        operands
    }

    /// The values that the point wrote, register by register.
    fn written(&self, step: &Step<'_>, slot: usize) -> Vec<Value> {
        // Registers come first, then AR.X, then the rest.
        let mut writes: Vec<(u8, String, Lane)> = Vec::new();
        for Written { write, place, bits } in step.writes(slot) {
            let lane = Lane::of(write.channel, bits);
            let truth = Lane { value: bits as f32, bits: None, ..lane };
            writes.push(match (write.to, place) {
                (To::Register(_), Some(place)) => (0, register(step.before, place), lane),
                (To::Output(n), _) => (2, self.image.named(NameKind::Output, n as u32), lane),
                (To::Uncached | To::Register(_), _) => (2, "uncached write".into(), lane),
                (To::Predicate, _) => (2, "predicates".into(), truth),
                (To::AluResult, _) => (3, "ALU result".into(), Lane { channel: None, ..truth }),
                (To::Own, _) => (4, "conditional value".into(), Lane { channel: None, ..lane }),
            });
        }
        let ar_x = step.after.ar_x(slot);
        if ar_x != step.before.ar_x(slot) {
            let lane = Lane { channel: None, value: ar_x as f32, bits: None };
            writes.push((1, "AR.X".into(), lane));
        }
        writes.sort_by_key(|(rank, ..)| *rank);
        let mut list = Vec::new();
        writes.into_iter().for_each(|(_, of, lane)| put(&mut list, of, vec![lane]));
        list
    }

    /// The effect of an FC instruction.
    fn flow(&self, group: &GroupState, slot: usize) -> String {
        let counter = match group.counter(slot) {
            Some(counter) => format!("branch counter {counter}"),
            None => "not branch-inactive".to_string(),
        };
        let pc = group.pc();
        let label = self.image.name_of(NameKind::Label, pc);
        let label = label.map(|label| format!(" `{label}`")).unwrap_or_default();
        format!(
            "-> pc {pc}{label}, {counter}, {} loop frame(s), aL {}, {} address(es)",
            group.frames().len(),
            group.al(),
            group.calls().len()
        )
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
            let read = SourcesRead::of(instruction);
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
            if instruction.jump_reads()[2] {
                add(NameKind::Bool, 'b', fc.bool_addr);
            }
        }
    }
    names
}

impl<F: FnMut(TraceEvent)> Observer for Trace<'_, F> {
    fn begin(&mut self, group: &GroupState) {
        if let Some(slot) = group.covered_slot(self.point) {
            (self.slot, self.begun) = (Some(slot), true);
            let temporary = lanes(15, &group.temp(slot, 0));
            (self.sink)(TraceEvent::Begin { point: self.point, slot, temporary });
        }
    }

    fn end(&mut self, group: &GroupState, faulted: bool) {
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

    fn step(&mut self, step: &Step<'_>) {
        let Some(slot) = self.slot_in(step.before).filter(|_| self.pcs.contains(&step.pc)) else {
            return;
        };
        let (pc, image) = (step.pc, self.image);
        let inactive = if step.is_active(slot) {
            None
        } else if let Some(counter) = step.before.counter(slot) {
            Some(format!("inactive, branch counter {counter}"))
        } else {
            Some("inactive in a loop".to_string())
        };
        let fetch = step.fetch(slot).map(|fetch| Fetch {
            input: image.named(NameKind::Input, fetch.input as u32),
            meant: fetch.meant,
            read: fetch.read,
            clamped: fetch.is_clamped(),
            lanes: lanes(15, &fetch.channels),
        });
        let mut traced = TraceStep {
            pc,
            text: ctm_lang::asm::line(&step.instruction.encode(), image.sharing),
            label: image.name_of(NameKind::Label, pc).map(String::from),
            place: image.location(pc).map(|place| place.to_string()),
            names: names(image, step.instruction),
            inactive,
            fetch,
            written: self.written(step, slot),
            ..TraceStep::default()
        };
        match &step.instruction.body {
            Body::Alu(alu) => {
                if let Some(result) = step.result(slot) {
                    traced.operands = self.operands(step, alu, result);
                    if traced.written.is_empty() && step.instruction.results() != 0 {
                        traced.note = Some("writes nothing: its predicates are 0".into());
                    }
                }
            }
            Body::Tex(tex) if tex.op == TexOp::Texkill && traced.inactive.is_none() => {
                let source =
                    step.before.temp(slot, step.before.temp_index(tex.src.addr, tex.src.relative));
                let tested =
                    tex.src.swizzle.map(|channel| float::ftz(source[channel.code() as usize]));
                put(&mut traced.operands, "coordinate".into(), lanes(15, &tested));
                if step.after.covered() >> slot & 1 == 0 {
                    traced.note = Some("killed: a channel is negative".into());
                }
            }
            Body::Tex(_) => {}
            Body::Fc(_) => traced.note = step.fault.is_none().then(|| self.flow(step.after, slot)),
        }
        (self.sink)(TraceEvent::Step(Box::new(traced)));
    }

    fn stored(&mut self, store: &Store) {
        if store.point != self.point {
            return;
        }
        let destination = match store.destination {
            Destination::Output(n) => self.image.named(NameKind::Output, n as u32),
            Destination::Uncached => {
                format!("{} (uncached)", self.image.named(NameKind::Output, 0))
            }
            Destination::Condition => "the conditional buffer".to_string(),
        };
        let bytes: Vec<String> = (0..16)
            .filter(|n| store.element.byte_mask >> n & 1 != 0)
            .map(|n| format!("{:02x}", store.element.bytes[n]))
            .collect();
        let (address, bytes) = (store.address, bytes.join(" "));
        (self.sink)(TraceEvent::Write { destination, address, bytes });
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

/// Adds lanes, to the last value if they are of the same register.
fn put(list: &mut Vec<Value>, of: String, lanes: Vec<Lane>) {
    match list.last_mut() {
        _ if lanes.is_empty() => {}
        Some(last) if last.of == of => last.lanes.extend(lanes),
        _ => list.push(Value { of, lanes }),
    }
}

/// The name of a register in a listing: `r3`, `g0`, or `ct0` for a clause temporary.
fn register(group: &GroupState, place: Place) -> String {
    match place {
        Place::Temp(n, _) if n >= group.first_clause => format!("ct{}", n - group.first_clause),
        _ => place.register(),
    }
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

impl fmt::Display for TraceStep {
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
