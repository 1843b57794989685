//! Instructions, constants and the image.

use crate::code::{Constant, Does, Operation};
use crate::graph::{Id, Op};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use crate::lines;
use crate::pack::{Address, Lane, Packed};
use crate::predicates::{Role, roles};
use crate::schedule::{Schedule, Slot};
use crate::structured::StructuredFlow;
use ctm_isa::isa::{
    ALPHA, Alu, AluResultSel, Body, Channel, FLOAT_CONSTANTS, FieldValue, Input, Instruction,
    Modifier, PredSel, Presub, RGB, Sel, Source, Swizzle, TexOp, Type, channels,
};
use ctm_lang::asm::synchronise;
use ctm_lang::program::interface::{self, Interface, Scalar};
use ctm_lang::program::{
    ConstantKind, Image, Literal, Name, NameKind, NamedSlot, Registers, SourceMap, Uses,
};

/// The constant registers.
struct Pool {
    registers: Vec<[Option<Constant>; 4]>,
    /// Registers that belong to the caller. Literals are then in the highest ones that do not.
    taken: Option<[bool; FLOAT_CONSTANTS]>,
    /// The constants of each constant array.
    arrays: Vec<Vec<Constant>>,
}

impl Pool {
    fn of(ir: &Ir) -> Pool {
        let constant = |id: &Id| match ir.graph.op(*id) {
            Op::Literal(bits) => Some(Constant::Literal(bits)),
            Op::Uniform(n) => Some(Constant::Uniform(n)),
            _ => None,
        };
        let arrays = ir.flow.arrays.iter();
        let arrays = arrays.map(|array| array.values.iter().filter_map(constant).collect());
        let taken = ir.registers.as_ref().map(|registers| {
            let mut taken = [false; FLOAT_CONSTANTS];
            registers.constants.iter().for_each(|n| taken[usize::from(*n)] = true);
            taken
        });
        Pool { registers: Vec::new(), taken, arrays: arrays.collect() }
    }

    /// The source that reads an address. `None`: there are too many constants.
    fn source(&mut self, address: &Address, file: usize) -> Option<Source> {
        let constants = match address {
            Address::Free => return Some(Source::UNUSED),
            Address::Temp(n) => return Some(Source { addr: *n, constant: false, relative: false }),
            Address::Constants(constants) => constants,
        };
        if let Some(code) = address.inline() {
            return Some(Source { addr: 0x80 | code, constant: false, relative: false });
        }
        let wanted: Vec<(usize, Constant)> = match file {
            0 => constants
                .iter()
                .enumerate()
                .filter_map(|(n, constant)| Some((n, (*constant)?)))
                .collect(),
            _ => constants[0].map(|constant| (3, constant)).into_iter().collect(),
        };
        if let Some((_, Constant::Register(addr, _))) = wanted.first() {
            return Some(Source { addr: *addr, constant: true, relative: false });
        }
        let relative = wanted.iter().any(|(_, wanted)| matches!(wanted, Constant::Array(_)));
        // What each register from the address on holds: one, or one for each iteration.
        let mut entries: Vec<(usize, usize, Constant)> = Vec::new();
        for (channel, constant) in wanted {
            match constant {
                Constant::Array(n) => {
                    let array = self.arrays[n as usize].iter().enumerate();
                    entries.extend(array.map(|(row, constant)| (row, channel, *constant)));
                }
                Constant::Literal(_) | Constant::Uniform(_) | Constant::Register(..) => {
                    entries.push((0, channel, constant));
                }
            }
        }
        let rows = entries.iter().map(|(row, ..)| row + 1).max().unwrap_or(1);
        let held = |n: usize, (row, channel, _): &(usize, usize, Constant)| {
            self.registers.get(n + row).and_then(|register| register[*channel])
        };
        let fits = |n: &usize| {
            entries.iter().all(|entry| held(*n, entry).is_none_or(|held| held == entry.2))
        };
        let shared =
            |n: usize| entries.iter().filter(|entry| held(n, entry) == Some(entry.2)).count();
        let last = FLOAT_CONSTANTS.checked_sub(rows)?;
        let n = match &self.taken {
            None => (0..=self.registers.len().min(last))
                .filter(fits)
                .max_by_key(|n| (shared(*n), usize::MAX - n))?,
            Some(taken) => (0..=last)
                .filter(|n| !taken[*n..n + rows].contains(&true) && fits(n))
                .max_by_key(|n| (shared(*n), *n))?,
        };
        if self.registers.len() < n + rows {
            self.registers.resize(n + rows, [None; 4]);
        }
        for (row, channel, constant) in entries {
            self.registers[n + row][channel] = Some(constant);
        }
        Some(Source { addr: n as u8, constant: true, relative })
    }
}

/// Makes the image of a schedule. `upward`: row 0 of a picture is the bottom one.
pub fn emit(
    ir: &Ir,
    schedule: &Schedule,
    name: &str,
    source: &str,
    upward: bool,
) -> Result<Image, Exceeded> {
    let mut pool = Pool::of(ir);
    let mut code = Vec::new();
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let places = lines::of_slots(ir, schedule, source);
    let mut flow = StructuredFlow::default();
    let roles = roles(&schedule.slots, &schedule.code);
    for ((slot, role), places) in schedule.slots.iter().zip(roles).zip(&places) {
        if role == Role::Gone {
            continue;
        }
        let operations = &schedule.code.operations;
        let origin = slot.origin(&schedule.code);
        let mut instruction = match slot {
            Slot::Alu(packed, dest) => {
                alu(&mut pool, schedule, packed, *dest).ok_or(Limit::Constants.at(origin))?
            }
            Slot::Fetch(n, register) => fetch(schedule, &operations[*n], *register),
            Slot::Flow(block) => flow.instruction(&schedule.code.ends[*block], code.len()),
            Slot::Kill(operations) => kill(schedule, operations),
        };
        apply(role, &mut instruction);
        starts.extend(places.iter().map(|place| (code.len(), *place as usize)));
        code.push(instruction);
    }
    if code.last().is_none_or(|last| last.common.class != Type::Out) {
        // It belongs to the one before.
        let own = starts.iter().filter(|(slot, _)| slot + 1 == code.len());
        let own: Vec<_> = own.map(|(slot, place)| (slot + 1, *place)).collect();
        starts.extend(own);
        code.push(end());
    }
    flow.finish(&mut code);
    synchronise(&mut code);
    if let Some(last) = code.last_mut() {
        last.common.tex_sem_wait = true;
    }
    let mut interface = ir.interface.clone();
    for (slot, temp) in &schedule.inputs {
        interface.varyings[*slot as usize].temp = Some(*temp);
    }
    let words: Vec<[u32; 6]> = code.iter().map(Instruction::encode).collect();
    let mut registers = Registers::default_for(words.len());
    registers.us_config = if ir.graph.zero_times() { 2 } else { 0 };
    let highest = Uses::of(&code, false, None)
        .highest_temp
        .max(interface.varyings.iter().filter_map(|varying| varying.temp).max().unwrap_or(0));
    registers.us_pixsize = highest.into();
    let umrt = ir.flow.blocks.iter().any(|block| !block.writes.is_empty());
    let mut image = Image { words, registers, umrt, ..Image::default() };
    let names = constants(&pool, &mut interface, &mut image);
    image.literals.extend(flow.counts.iter().zip(0..).map(|((count, step), addr)| Literal {
        kind: ConstantKind::Int,
        addr,
        value: [(*count).into(), 0, (*step).into(), 0],
    }));
    image.input_names = (interface.samplers.iter().filter(|sampler| sampler.used))
        .map(|sampler| NamedSlot { name: sampler.name.clone(), slot: sampler.input.into() })
        .collect();
    image.output_names = interface
        .outputs
        .iter()
        .map(|output| NamedSlot { name: output.name.clone(), slot: output.slot.into() })
        .collect();
    let temporaries = interface.varyings.iter().filter_map(|varying| {
        Some(Name {
            kind: NameKind::Temp,
            number: varying.temp?.into(),
            name: varying.name.clone(),
        })
    });
    let mut names: Vec<Name> = temporaries.chain(names).collect();
    names.sort_by(|a, b| (a.kind, a.number, &a.name).cmp(&(b.kind, b.number, &b.name)));
    image.source = SourceMap::of_text(name, source, starts.into_iter(), names).into();
    interface.upward = upward;
    image.interface = ir.registers.is_none().then(|| interface.into());
    Ok(image)
}

/// Fills in the constants of the image and the interface. Returns names of constants.
fn constants(pool: &Pool, interface: &mut Interface, image: &mut Image) -> Vec<Name> {
    let mut names = Vec::new();
    for (addr, register) in pool.registers.iter().enumerate() {
        let mut value = [0; 4];
        let mut given = false;
        let mut words: Vec<String> = Vec::new();
        for (channel, constant) in register.iter().enumerate() {
            match constant {
                Some(Constant::Literal(bits)) => {
                    value[channel] = *bits;
                    given = true;
                }
                Some(Constant::Uniform(n)) => {
                    let scalar = interface.scalars[*n as usize];
                    words.push(interface.name_of(scalar));
                    interface.constants.push(interface::Constant {
                        addr: addr as u8,
                        channel: channel as u8,
                        scalar,
                    });
                    if let Scalar::Uniform(n, component) = scalar {
                        let uniform = &mut interface.uniforms[n];
                        uniform.used = true;
                        if let Some(default) = &uniform.default {
                            value[channel] = default[component];
                            given = true;
                        }
                    }
                }
                // Registers hold the elements, or are the caller's.
                Some(Constant::Array(_) | Constant::Register(..)) | None => {}
            }
        }
        if given {
            image.literals.push(Literal { kind: ConstantKind::Float, addr: addr as u32, value });
        }
        if !words.is_empty() {
            names.push(Name { kind: NameKind::Float, number: addr as u32, name: words.join(" ") });
        }
    }
    names
}

/// Gives an instruction its role.
fn apply(role: Role, instruction: &mut Instruction) {
    let Body::Alu(alu) = &mut instruction.body else { return };
    match role {
        Role::Plain | Role::Gone => {}
        Role::Test(channel, comparison) => {
            let blank = Instruction::blank(Type::Alu).common;
            alu.alu_wmask = false;
            instruction.common.alu_result_sel = blank.alu_result_sel;
            instruction.common.alu_result_op = blank.alu_result_op;
            instruction.common.omask |= 1 << channel;
            alu.units[channel / 3].target = comparison.code() as u8;
        }
        Role::Gated { channel, clear } => {
            let select = if channel == 3 { PredSel::A } else { PredSel::R };
            instruction.common.pred_sel = [select; 2];
            instruction.common.pred_inv = [clear; 2];
        }
    }
}

/// An instruction without an effect that can end a program.
fn end() -> Instruction {
    let mut instruction = Instruction::blank(Type::Out);
    if let Body::Alu(alu) = &mut instruction.body {
        idle(alu);
    }
    instruction
}

/// Unused sources as compilers write them.
fn idle(alu: &mut Alu) {
    for unit in &mut alu.units {
        unit.sources = [Source::UNUSED; 3];
    }
}

fn alu(
    pool: &mut Pool,
    schedule: &Schedule,
    packed: &Packed,
    dest: [u8; 2],
) -> Option<Instruction> {
    let operations = &schedule.code.operations;
    let writes = packed.members.iter().flatten().any(|member| {
        let operation = &operations[member.operation];
        operation.does == Does::Write
    });
    let outputs = writes
        || packed.members.iter().flatten().any(|member| operations[member.operation].out.is_some());
    let mut instruction = Instruction::blank(if outputs { Type::Out } else { Type::Alu });
    let Body::Alu(alu) = &mut instruction.body else { return Some(instruction) };
    idle(alu);
    for unit in [RGB, ALPHA] {
        for (source, addresses) in alu.units[unit].sources.iter_mut().zip(&packed.operands.sources)
        {
            *source = pool.source(&addresses[unit], unit)?;
        }
        alu.units[unit].presub = packed.operands.presub[unit].unwrap_or(Presub::Bias);
        let Some(op) = packed.ops[unit] else { continue };
        alu.units[unit].op = op;
        alu.units[unit].omod = packed.omod[unit].0;
        instruction.common.clamp[unit] = packed.clamp[unit];
        alu.units[unit].dest = dest[unit];
        for (n, input) in packed.operands.inputs[unit].iter().enumerate() {
            alu.units[unit].inputs[n] = encoded(input, unit);
        }
        if op.is_neighbour() {
            let swizzle = [Swizzle::One; 3];
            alu.units[unit].inputs[1] = Input { sel: Sel::Src0, swizzle, modifier: Modifier::Neg };
        }
    }
    let mut written = 0;
    let mut out = if writes { 15 } else { 0 };
    for channel in channels(packed.results) {
        let Some(member) = packed.members[channel] else { continue };
        let operation = &operations[member.operation];
        let value = operation.results.first().copied().flatten();
        if value
            .is_some_and(|value| schedule.places[value] == Some((dest[channel / 3], channel as u8)))
        {
            written |= 1 << channel;
        }
        if operation.test
            && let Some((comparison, _)) = schedule.code.ends[operation.block].test
        {
            alu.alu_wmask = true;
            instruction.common.alu_result_sel =
                if channel == 3 { AluResultSel::Alpha } else { AluResultSel::Red };
            instruction.common.alu_result_op = comparison;
        }
        if let Some((slot, mask)) = operation.out
            && mask >> channel & 1 != 0
        {
            out |= 1 << channel;
            alu.units[channel / 3].target = slot;
        }
    }
    for unit in [RGB, ALPHA] {
        if written & ctm_isa::isa::UNIT_MASKS[unit] == 0 {
            alu.units[unit].dest = 0;
        }
    }
    instruction.common.wmask = written;
    instruction.common.omask = out;
    Some(instruction)
}

/// An input as the instruction has it.
fn encoded(input: &crate::pack::Input, unit: usize) -> Input {
    let swizzle = |lane: Option<Lane>| match lane {
        Some(Lane::Channel(channel)) => Swizzle::from_code(channel.into()),
        Some(Lane::Number(number)) => Swizzle::from_code(u32::from(number) + 4),
        None => Swizzle::Unused,
    };
    let mut lanes = input.lanes.map(swizzle);
    if unit == ALPHA {
        (lanes[1], lanes[2]) = (Swizzle::R, Swizzle::R);
    }
    if input.lanes.iter().all(Option::is_none) {
        lanes = [Swizzle::R; 3];
    }
    let sel = match input.source {
        Some(n) => Sel::from_code(n.into()),
        None => Sel::Src0,
    };
    let modifier = match (input.abs, input.neg) {
        (false, false) => Modifier::Nop,
        (false, true) => Modifier::Neg,
        (true, false) => Modifier::Abs,
        (true, true) => Modifier::Nab,
    };
    Input { sel, swizzle: lanes, modifier }
}

/// The register and the channels of a fetch's coordinates.
fn coordinate(schedule: &Schedule, operands: &[crate::code::Operand]) -> (u8, Vec<Channel>) {
    let mut register = 0;
    let mut swizzle = Vec::new();
    for atom in operands.iter().flat_map(|operand| operand.atoms()) {
        if let crate::code::Atom::Value(value) = atom
            && let Some((at, channel)) = schedule.places[value]
        {
            register = at;
            swizzle.push(Channel::from_code(channel.into()));
        }
    }
    (register, swizzle)
}

fn fetch(schedule: &Schedule, operation: &Operation, dest: u8) -> Instruction {
    let mut instruction = Instruction::blank(Type::Tex);
    let Body::Tex(tex) = &mut instruction.body else { return instruction };
    let Does::Fetch(fetch) = operation.does else { return instruction };
    let (register, swizzle) = coordinate(schedule, &operation.operands);
    tex.op = if fetch.projected { TexOp::Proj } else { TexOp::Ld };
    tex.input = fetch.input;
    tex.unscaled = fetch.unscaled;
    tex.src.addr = register;
    let first = swizzle.first().copied().unwrap_or(Channel::R);
    let at = |n: usize| swizzle.get(n).copied().unwrap_or(first);
    tex.src.swizzle = [at(0), at(1), at(0), at(2)];
    tex.dest = dest;
    tex.dest_swizzle = [Channel::R, Channel::G, Channel::B, Channel::A];
    for (channel, value) in operation.results.iter().enumerate() {
        if value.is_some_and(|value| schedule.places[value].is_some()) {
            instruction.common.wmask |= 1 << channel;
        }
    }
    instruction
}

fn kill(schedule: &Schedule, operations: &[usize]) -> Instruction {
    let mut instruction = Instruction::blank(Type::Tex);
    let Body::Tex(tex) = &mut instruction.body else { return instruction };
    let operands: Vec<_> =
        operations.iter().flat_map(|n| schedule.code.operations[*n].operands.clone()).collect();
    let (register, swizzle) = coordinate(schedule, &operands);
    tex.op = TexOp::Texkill;
    tex.src.addr = register;
    let first = swizzle.first().copied().unwrap_or(Channel::R);
    tex.src.swizzle = [0, 1, 2, 3].map(|n| swizzle.get(n).copied().unwrap_or(first));
    instruction
}
