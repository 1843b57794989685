//! Finds where a value in memory comes from: the point, the instruction, the register.

use ctm_isa::float;
use ctm_isa::isa::{Alu, Body, Instruction, LETTERS, Sel, SourceKind, TEMPORARIES, Type};
use ctm_lang::program::SourceRef;
use ctm_machine::engine::Checked;
use ctm_machine::engine::Stop;
use ctm_machine::engine::reference::{
    Destination, Fetched, GroupState, LaneResult, Observer, Reference,
};
use ctm_machine::launch::Launch;
use ctm_machine::memory::{Element, Memory, format};
use std::fmt;

/// The instruction of the reference engine's run that computed a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The point that wrote it.
    pub point: (u32, u32),
    /// The instruction; `None`: no instruction, the value is the PE's conditional value.
    pub pc: Option<u32>,
    /// The register that it wrote, such as "output A.g" or "W".
    pub register: String,
    /// The computed value, as float bits.
    pub value: u32,
    /// The temporary whose value it passed on unchanged, if it did.
    pub from: Option<ValueFrom>,
    /// Where the program was written.
    pub source: SourceRef,
}

/// A temporary and the instruction that last wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFrom {
    /// Its name, such as "r5.g".
    pub register: String,
    /// The instruction; `None`: the point started with the value.
    pub pc: Option<u32>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pc {
            Some(pc) => {
                let place = self.source.place(pc);
                write!(f, "the reference writes it at {place} to {}", self.register)?;
            }
            None => write!(f, "the reference writes {}", self.register)?,
        }
        match &self.from {
            Some(ValueFrom { register, pc: Some(pc) }) => {
                write!(f, ", from {register}, written at {}", self.source.place(*pc))
            }
            Some(ValueFrom { register, pc: None }) => {
                write!(f, ", from {register} as the point started")
            }
            None => Ok(()),
        }
    }
}

/// The write that determines the byte at an address.
#[derive(Clone, Copy, Debug)]
struct Winner {
    key: (u8, u32, u32, u8),
    point: (u32, u32),
    destination: Destination,
    /// The channel of a float format that holds the byte; 0 else.
    byte: usize,
    address: u32,
}

/// First pass: finds the write that determines the byte.
struct FindWriter {
    address: u32,
    winner: Option<Winner>,
}

impl Observer for FindWriter {
    fn store(
        &mut self,
        point: (u32, u32),
        _pc: u32,
        destination: Destination,
        address: u32,
        element: &Element,
    ) {
        let byte = self.address.wrapping_sub(address) as usize;
        if byte >= 16 || element.byte_mask >> byte & 1 == 0 {
            return;
        }
        // The order in which writes take effect.
        let (i, j) = point;
        let key = match destination {
            Destination::Uncached => (0, j, i, 0),
            Destination::Output(n) => (1, j, i, n as u8),
            Destination::Condition => (2, j, i, 0),
        };
        if self.winner.is_none_or(|winner| key >= winner.key) {
            self.winner = Some(Winner { key, point, destination, byte, address });
        }
    }
}

/// Second pass: follows the point that wrote the byte.
struct Follow<'a> {
    winner: Winner,
    /// The channel of the destination that contains the byte.
    channel: usize,
    launch: &'a Launch,
    slot: Option<usize>,
    fetched: bool,
    /// The last writer of each temporary channel.
    temps: Vec<[Option<u32>; 4]>,
    found: Option<Origin>,
}

impl Follow<'_> {
    /// The instruction at `pc` wrote `value`, channel `channel` of its result.
    fn found(
        &mut self,
        group: &GroupState,
        pc: u32,
        register: String,
        (alu, result, channel): (&Alu, &LaneResult, usize),
    ) {
        let value = result.value[channel];
        let from = passed_on(group, alu, result, channel, value).map(|(temp, component)| {
            let pc = self.temps[temp][component];
            let register = format!("r{temp}.{}", LETTERS[component]);
            ValueFrom { register, pc }
        });
        self.found = Some(Origin {
            point: self.winner.point,
            pc: Some(pc),
            register,
            value,
            from,
            source: SourceRef::default(),
        });
    }
}

/// The temporary channel that an input of a unit read and the unit returned unchanged.
fn passed_on(
    group: &GroupState,
    alu: &Alu,
    result: &LaneResult,
    channel: usize,
    value: u32,
) -> Option<(usize, usize)> {
    (0..3).find_map(|n| {
        let (sel, swizzle, _) = alu.lane(n, channel);
        if float::ftz(result.inputs[n][channel]) & !float::SIGN != float::ftz(value) & !float::SIGN
        {
            return None;
        }
        let component = swizzle.channel()?;
        let number = match sel {
            Sel::Src0 => 0,
            Sel::Src1 => 1,
            Sel::Src2 => 2,
            Sel::Srcp => return None,
        };
        let source = alu.unit_of(component).sources[number];
        match source.kind() {
            SourceKind::Temp(temp) => Some((group.temp_index(temp, source.relative), component)),
            SourceKind::Constant(_) | SourceKind::Inline(_) => None,
        }
    })
}

impl Observer for Follow<'_> {
    fn group_begin(&mut self, group: &GroupState) {
        self.fetched = false;
        self.slot = group.covered_slot(self.winner.point);
    }

    fn group_end(&mut self, _group: &GroupState, _faulted: bool) {
        self.slot = None;
    }

    fn load(&mut self, _: &GroupState, slot: usize, _: &Fetched) {
        self.fetched |= self.slot == Some(slot);
    }

    fn after(
        &mut self,
        group: &GroupState,
        pc: u32,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        let Some(slot) = self.slot else { return };
        let common = &instruction.common;
        // Only ALU instructions change predicates, and their own writes use the old ones. This is
        // an approximation that suffices here.
        let gate = common.gate(group.predicates(slot));
        match &instruction.body {
            Body::Tex(tex) if std::mem::take(&mut self.fetched) => {
                let temp = group.temp_index(tex.dest, tex.dest_rel);
                for channel in 0..4 {
                    if (common.wmask & gate) >> channel & 1 != 0 {
                        self.temps[temp][channel] = Some(pc);
                    }
                }
            }
            Body::Alu(alu) => {
                let Some(result) = results.get(slot).copied().flatten() else {
                    return;
                };
                let channel = self.channel;
                let target = alu.unit_of(channel).target;
                let writes_out =
                    common.class == Type::Out && (common.omask & gate) >> channel & 1 != 0;
                match self.winner.destination {
                    Destination::Output(n) if writes_out && target as usize == n => {
                        let name = ["A", "B", "C", "D"][n & 3];
                        let register = format!("output {name}.{}", LETTERS[channel]);
                        self.found(group, pc, register, (alu, &result, channel));
                    }
                    Destination::Uncached if writes_out && gate == 15 => {
                        let index = |x: u32| float::texel_index(float::ftz(x)) as u32;
                        let element = (index(result.value[1]), index(result.value[2]));
                        let here = self.launch.outputs[0].is_some_and(|s| {
                            s.address(element.0, element.1) == self.winner.address
                        });
                        if here {
                            let register = "the uncached output".to_string();
                            self.found(group, pc, register, (alu, &result, 0));
                        }
                    }
                    Destination::Condition if alu.w_omask && gate & 8 != 0 => {
                        self.found(group, pc, "W".to_string(), (alu, &result, 3));
                    }
                    _ => {}
                }
                let dest = alu.units.map(|unit| group.temp_index(unit.dest, unit.dest_rel));
                for channel in 0..4 {
                    if (common.wmask & gate) >> channel & 1 != 0 {
                        self.temps[dest[channel / 3]][channel] = Some(pc);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The point and instruction of the reference engine that determine the value at an address; `None`
/// if none writes there. `memory` is as before the launch; the launch changes it.
pub(super) fn find(
    launch: &Launch,
    memory: &mut Memory,
    address: u32,
    fresh: &mut Memory,
    stop: &Stop,
) -> Option<Origin> {
    let reference = Reference::new();
    let checked = Checked::new(launch).ok()?;
    if checked.program.sharing().is_some() {
        // A group does not run alone.
        return None;
    }
    let mut writer = FindWriter { address, winner: None };
    reference.run_observed(&checked, memory, stop, &mut writer).ok()?;
    let winner = writer.winner?;
    let channel = match winner.destination {
        Destination::Output(n) => format::channel_of_byte(launch.outputs[n]?.format, winner.byte),
        Destination::Uncached => 0,
        Destination::Condition => 3,
    };
    let mut follow = Follow {
        winner,
        channel,
        launch,
        slot: None,
        fetched: false,
        temps: vec![[None; 4]; TEMPORARIES],
        found: None,
    };
    reference.run_observed(&checked, fresh, stop, &mut follow).ok()?;
    let own = follow.found.take();
    match (own, winner.destination) {
        (None, Destination::Condition) => Some(Origin {
            point: winner.point,
            pc: None,
            register: "the PE's conditional value".to_string(),
            value: launch.condition.value,
            from: None,
            source: SourceRef::default(),
        }),
        (own, _) => {
            let source = launch.program.image().source.clone();
            own.map(|own| Origin { source, ..own })
        }
    }
}
