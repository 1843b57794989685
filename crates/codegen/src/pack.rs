//! One ALU instruction: which operations fit into its lanes, and how their operands get to them.
//!
//! Source n has an address for r, g, b and one for a. An input of the RGB unit reads one source in all its lanes, with one
//! sign; a lane takes r, g, b or a of it, or 0, 1/2, 1.

use crate::code::{Atom, Constant, Does, Operand, Operation, Source};
use arrayvec::ArrayVec;
use ctm_isa::isa::{ALPHA, AluOp, Omod, Presub, RGB};
use ctm_lang::asm::inline_code;

/// The address of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Address {
    /// Free.
    #[default]
    Free,
    /// A temporary.
    Temp(u8),
    /// Constants at the channels r, g, b of one register; for the alpha address only the first counts.
    Constants([Option<Constant>; 3]),
}

impl Address {
    /// The inline constant that is enough.
    pub fn inline(&self) -> Option<u8> {
        let Address::Constants(held) = self else { return None };
        let mut held = held.iter().flatten();
        match (held.next(), held.next()) {
            (Some(Constant::Literal(bits)), None) => inline_code(f32::from_bits(*bits)),
            _ => None,
        }
    }
}

/// A lane of an input: a channel of its source, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Channel 0 R to 3 A.
    Channel(u8),
    /// 0, 1/2 or 1.
    Number(u8),
}

/// An input of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Input {
    /// Source 0 to 2, or 3 for the presubtract; `None` if every lane is a number.
    pub source: Option<u8>,
    /// The lanes.
    pub lanes: [Option<Lane>; 3],
    /// The sign, after `abs`.
    pub neg: bool,
    /// The magnitude.
    pub abs: bool,
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    /// Sources 0 to 2: the addresses of r, g, b and of a.
    pub sources: [[Address; 2]; 3],
    /// The presubtract of the rgb and of the alpha channels.
    pub presub: [Option<Presub>; 2],
    /// Inputs A, B, C of the RGB unit and of the alpha unit.
    pub inputs: [[Input; 3]; 2],
}

/// The temporary and channel of a value.
pub type TempChannel = (u8, u8);

/// An operation in a lane, with the order of its factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The index of the operation.
    pub operation: usize,
    /// A and B change places.
    pub swap: bool,
    /// The sign of A goes to B.
    pub resign: bool,
}

/// The parts of an instruction.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// The operation of each channel, 0 R to 3 A. An operation may be in several.
    pub members: [Option<Member>; 4],
    /// The channels whose result counts; a dot product computes in others, too.
    pub results: u8,
    /// The operations of the units.
    pub ops: [Option<AluOp>; 2],
    /// The output modifiers.
    pub omod: [Omod2; 2],
    /// The clamps.
    pub clamp: [bool; 2],
    /// The operands.
    pub operands: Operands,
}

/// [`Omod`] with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omod2(pub Omod);

impl Default for Omod2 {
    fn default() -> Self {
        Omod2(Omod::X1)
    }
}

/// A lane's demand on an input.
#[derive(Clone, Copy, Debug)]
struct Demand {
    lane: usize,
    operand: Operand,
}

/// The demands on an input of a unit.
struct Column {
    unit: usize,
    input: usize,
    demands: ArrayVec<Demand, 3>,
}

/// Packs one instruction; knows the registers of values and whether the sign of zero matters.
pub struct Packer<'a> {
    /// The operations.
    pub operations: &'a [Operation],
    /// The place of each value.
    pub places: &'a [Option<TempChannel>],
    /// The sign of zero counts.
    pub precise: bool,
}

impl Packer<'_> {
    /// The operands of a member's inputs A, B, C; of a dot product in channel `lane`, the pair of the lane.
    fn inputs(&self, member: Member, lane: usize) -> [Option<Operand>; 3] {
        let operation = &self.operations[member.operation];
        let mut inputs = [None; 3];
        match operation.does {
            Does::Dot(n) => {
                if lane < n as usize {
                    inputs[0] = Some(operation.operands[2 * lane]);
                    inputs[1] = Some(operation.operands[2 * lane + 1]);
                }
            }
            Does::Lane(op) => {
                for (input, operand) in inputs.iter_mut().zip(&operation.operands) {
                    *input = Some(*operand);
                }
                if op == AluOp::Mad
                    && member.resign
                    && let [Some(a), Some(b), _] = &mut inputs
                {
                    (a.neg, b.neg) = (!a.neg, !b.neg);
                }
            }
            Does::Write => {
                let operand = operation.operands.get(lane).copied();
                let operand = Some(operand.unwrap_or(Operand::literal(0.0)));
                (inputs[0], inputs[1]) = (operand, operand);
            }
            Does::Fetch(_) | Does::Kill => {}
        }
        if member.swap {
            inputs.swap(0, 1);
        }
        inputs
    }

    /// The orders of factors to try.
    fn orders(&self, operation: usize) -> impl Iterator<Item = Member> {
        let Operation { does, operands, .. } = &self.operations[operation];
        let count = match does {
            Does::Lane(AluOp::Mad) if operands[0].neg || operands[1].neg => 4,
            Does::Lane(AluOp::Mad) | Does::Dot(_) => 2,
            Does::Lane(AluOp::Min | AluOp::Max) if !self.precise => 2,
            Does::Lane(_) | Does::Fetch(_) | Does::Kill | Does::Write => 1,
        };
        let orders = [(false, false), (true, false), (false, true), (true, true)];
        orders.into_iter().take(count).map(move |(swap, resign)| Member { operation, swap, resign })
    }

    /// The instruction with an operation in the channels of `mask` as well.
    pub fn add(&self, packed: &Packed, operation: usize, mask: u8) -> Option<Packed> {
        let added = &self.operations[operation];
        let taken = ctm_isa::isa::channels(mask).any(|channel| packed.members[channel].is_some());
        if taken || !Self::matches(packed, added, mask) {
            return None;
        }
        let mut next = packed.clone();
        let (rgb, alpha) = (mask & 7 != 0, mask & 8 != 0);
        let mut set = |unit: usize, op: AluOp| {
            let modifiers = (Omod2(added.omod), added.clamp);
            let same = (next.omod[unit], next.clamp[unit]) == modifiers;
            if next.ops[unit].is_some_and(|other| other != op || !same) {
                return false;
            }
            next.ops[unit] = Some(op);
            (next.omod[unit], next.clamp[unit]) = modifiers;
            true
        };
        let fits = match added.does {
            Does::Dot(n) => {
                // The unit computes one sum.
                let free =
                    packed.ops[RGB].is_none() && (n == 3 && !alpha || packed.ops[ALPHA].is_none());
                let op = if n == 3 { AluOp::Dp3 } else { AluOp::Dp4 };
                free && set(RGB, op) && (n == 3 && !alpha || set(ALPHA, AluOp::Dp))
            }
            Does::Lane(op) if op.is_transcendental() => {
                packed.ops[ALPHA].is_none()
                    && set(ALPHA, op)
                    && (!rgb || packed.ops[RGB].is_none() && set(RGB, AluOp::Sop))
            }
            Does::Lane(op) => (!rgb || set(RGB, op)) && (!alpha || set(ALPHA, op)),
            // The maximum of a number and itself is the number.
            Does::Write => set(RGB, AluOp::Max) && set(ALPHA, AluOp::Max),
            Does::Fetch(_) | Does::Kill => false,
        };
        if !fits {
            return None;
        }
        if let Does::Lane(AluOp::Mdh | AluOp::Mdv) = added.does {
            // The neighbours' values come from source 0, in the lane's own channel.
            let Source::Atom(Atom::Value(value)) = added.operands[0].source else { return None };
            let (register, channel) = self.places[value]?;
            if mask != 1 << channel {
                return None;
            }
            let unit = (channel == 3) as usize;
            let wanted = Address::Temp(register);
            let address = &mut next.operands.sources[0][unit];
            if *address != Address::Free && *address != wanted {
                return None;
            }
            *address = wanted;
        }
        next.results |= mask;
        let lanes = match added.does {
            // All lanes compute.
            Does::Dot(4) => 15,
            Does::Dot(_) => mask | 7,
            Does::Lane(_) | Does::Fetch(_) | Does::Kill | Does::Write => mask,
        };
        for member in self.orders(operation) {
            for channel in ctm_isa::isa::channels(lanes) {
                next.members[channel] = Some(member);
            }
            if let Some(operands) = self.solve(&next) {
                next.operands = operands;
                return Some(next);
            }
        }
        None
    }

    /// Whether the units could do one more operation; a quick test.
    fn matches(packed: &Packed, added: &Operation, mask: u8) -> bool {
        let Does::Lane(op) = added.does else { return true };
        let same = |unit: usize| match packed.ops[unit] {
            None => true,
            Some(other) => {
                other == op
                    && packed.omod[unit].0 == added.omod
                    && packed.clamp[unit] == added.clamp
            }
        };
        (mask & 7 == 0 || op.is_transcendental() || same(RGB)) && (mask & 8 == 0 || same(ALPHA))
    }

    /// Finds sources for all operands.
    fn solve(&self, packed: &Packed) -> Option<Operands> {
        let mut columns: ArrayVec<Column, 6> = ArrayVec::new();
        let mut start = Operands::default();
        for unit in [RGB, ALPHA] {
            let Some(op) = packed.ops[unit] else { continue };
            if op.is_neighbour() {
                // Source 0, by the lanes' channels; B is -1.
                for channel in if unit == RGB { 0..3 } else { 3..4 } {
                    let Some(member) = packed.members[channel] else { continue };
                    let operand = self.operations[member.operation].operands[0];
                    let Source::Atom(Atom::Value(value)) = operand.source else { return None };
                    start.sources[0][unit] = Address::Temp(self.places[value]?.0);
                }
                continue;
            }
        }
        for unit in [RGB, ALPHA] {
            let Some(op) = packed.ops[unit] else { continue };
            if op == AluOp::Sop
                || op.is_neighbour()
                || op == AluOp::Dp && packed.ops[RGB] == Some(AluOp::Dp3)
            {
                continue;
            }
            for input in 0..3 {
                let mut demands = ArrayVec::new();
                for lane in if unit == RGB { 0..3 } else { 3..4 } {
                    // The alpha unit's operation may be in the lanes of the RGB unit only, through SOP.
                    let member = packed.members[lane].or_else(|| {
                        let through = unit == ALPHA && op.is_transcendental();
                        packed.members[..3].iter().flatten().next().copied().filter(|_| through)
                    });
                    let Some(member) = member else { continue };
                    if let Some(operand) = self.inputs(member, lane)[input] {
                        demands.push(Demand { lane: lane % 3, operand });
                    }
                }
                if !demands.is_empty() {
                    columns.push(Column { unit, input, demands });
                }
            }
        }
        // Presubtracts first, then what reads registers.
        let mut order: ArrayVec<&Column, 6> = columns.iter().collect();
        order.sort_by_key(|Column { demands, .. }| {
            let presub =
                demands.iter().any(|demand| matches!(demand.operand.source, Source::Presub(..)));
            let value = demands
                .iter()
                .any(|demand| matches!(demand.operand.source, Source::Atom(Atom::Value(_))));
            (!presub, !value)
        });
        self.assign(&order, &start)
    }

    fn assign(&self, columns: &[&Column], state: &Operands) -> Option<Operands> {
        let Some((Column { unit, input, demands }, rest)) = columns.split_first() else {
            return Some(*state);
        };
        let (neg, abs) = self.sign(demands)?;
        let mut column = Input { source: None, lanes: [None; 3], neg, abs };
        let mut open: ArrayVec<(usize, Operand), 3> = ArrayVec::new();
        for demand in demands {
            match self.number(demand.operand, neg, abs) {
                Some(number) => column.lanes[demand.lane] = Some(Lane::Number(number)),
                None => open.push((demand.lane, demand.operand)),
            }
        }
        if open.is_empty() {
            let mut next = *state;
            next.inputs[*unit][*input] = column;
            return self.assign(rest, &next);
        }
        let presub = matches!(open[0].1.source, Source::Presub(..));
        // Only constants have a choice of addresses.
        let choices = open
            .iter()
            .any(|(_, operand)| operand.atoms().any(|atom| matches!(atom, Atom::Constant(_))));
        for source in if presub { 3..4 } else { 0..3u8 } {
            // Sources that hold the same give the same; presubtracts, which need certain ones, come first.
            let held = |n: u8| state.sources[n as usize];
            if !presub && (0..source).any(|before| held(before) == held(source)) {
                continue;
            }
            if let Source::Atom(Atom::Value(value)) = open[0].1.source {
                let (register, channel) = self.places[value]?;
                let address = &held(source)[usize::from(channel == 3)];
                if *address != Address::Free && *address != Address::Temp(register) {
                    continue;
                }
            }
            for other in if choices { &[false, true][..] } else { &[false] } {
                let other = *other;
                let mut next = *state;
                let mut filled = Input { source: Some(source), ..column };
                let fits = open.iter().all(|(lane, operand)| {
                    let channel = match (operand.source, presub) {
                        (Source::Presub(presub, atoms), true) => {
                            self.put_presub(&mut next, presub, atoms, *unit, other)
                        }
                        (Source::Atom(atom), false) => {
                            let atom = signed(atom, *operand, neg, abs);
                            atom.and_then(|atom| {
                                self.put(&mut next, source as usize, atom, *unit, other)
                            })
                        }
                        _ => None,
                    };
                    filled.lanes[*lane] = channel.map(Lane::Channel);
                    channel.is_some()
                });
                if fits {
                    next.inputs[*unit][*input] = filled;
                    if let Some(found) = self.assign(rest, &next) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The sign of a column, if its lanes can share one.
    fn sign(&self, demands: &[Demand]) -> Option<(bool, bool)> {
        let mut fixed = None;
        for Demand { operand, .. } in demands {
            if literal(*operand).is_none() {
                let sign = (operand.neg, operand.abs);
                if *fixed.get_or_insert(sign) != sign {
                    return None;
                }
            }
        }
        if let Some(sign) = fixed {
            return Some(sign);
        }
        // Only literals: the sign that makes most of them numbers.
        let numbers = |neg| {
            demands
                .iter()
                .filter(|demand| self.number(demand.operand, neg, false).is_some())
                .count()
        };
        Some((numbers(true) > numbers(false), false))
    }

    /// 0, 1 or 2 for the literals 0, 1/2, 1 under a sign.
    fn number(&self, operand: Operand, neg: bool, abs: bool) -> Option<u8> {
        let value = literal(operand)?;
        if value == 0.0 {
            // Under `abs` the number is not negative, too.
            return (!self.precise || value.is_sign_negative() == neg).then_some(0);
        }
        let _ = abs;
        let value = if neg { -value } else { value };
        match value {
            0.5 => Some(1),
            1.0 => Some(2),
            _ => None,
        }
    }

    /// Puts an atom into a source. Returns its channel.
    fn put(
        &self,
        state: &mut Operands,
        source: usize,
        atom: Atom,
        unit: usize,
        other: bool,
    ) -> Option<u8> {
        match atom {
            Atom::Value(value) => {
                let (register, channel) = self.places[value]?;
                let address = &mut state.sources[source][(channel == 3) as usize];
                let wanted = Address::Temp(register);
                if *address == Address::Free {
                    *address = wanted;
                }
                (*address == wanted).then_some(channel)
            }
            Atom::Constant(constant) => {
                let addresses = &mut state.sources[source];
                let held = |address: &Address| match address {
                    Address::Constants(held) => {
                        held.iter().position(|held| *held == Some(constant))
                    }
                    Address::Free | Address::Temp(_) => None,
                };
                if let Some(n) = held(&addresses[0]) {
                    return Some(n as u8);
                }
                if held(&addresses[1]) == Some(0) {
                    return Some(3);
                }
                let order = if (unit == ALPHA) != other { [1, 0] } else { [0, 1] };
                for file in order {
                    if let Some(n) = grow(&mut addresses[file], file, constant, None) {
                        return Some(if file == 1 { 3 } else { n });
                    }
                }
                None
            }
        }
    }

    /// Puts the operands of a presubtract into sources 0 and 1. Returns its channel.
    fn put_presub(
        &self,
        state: &mut Operands,
        presub: Presub,
        atoms: [Atom; 2],
        unit: usize,
        other: bool,
    ) -> Option<u8> {
        let place = |atom: Atom| match atom {
            Atom::Value(value) => self.places[value],
            Atom::Constant(_) => None,
        };
        let count = presub.sources();
        let mut places = atoms[..count].iter().filter_map(|atom| place(*atom));
        let channels: Vec<u8> = match places.next() {
            Some((_, channel)) => vec![channel],
            None if (unit == ALPHA) != other => vec![3, 0, 1, 2],
            None => vec![0, 1, 2, 3],
        };
        if places.any(|(_, channel)| channel != channels[0]) {
            return None;
        }
        let mut orders = vec![atoms];
        if presub == Presub::Add {
            orders.push([atoms[1], atoms[0]]);
        }
        for channel in channels {
            let file = (channel == 3) as usize;
            if state.presub[file].is_some_and(|set| set != presub) {
                continue;
            }
            for order in &orders {
                let mut next = *state;
                let fits = order[..count].iter().enumerate().all(|(source, atom)| {
                    let address = &mut next.sources[source][file];
                    match atom {
                        Atom::Value(value) => {
                            let wanted = Address::Temp(self.places[*value].unwrap_or_default().0);
                            if *address == Address::Free {
                                *address = wanted;
                            }
                            *address == wanted && self.places[*value].is_some()
                        }
                        Atom::Constant(constant) => {
                            let at = if file == 1 { 0 } else { channel };
                            grow(address, file, *constant, Some(at)).is_some()
                        }
                    }
                });
                if fits {
                    next.presub[file] = Some(presub);
                    *state = next;
                    return Some(channel);
                }
            }
        }
        None
    }
}

/// Adds a constant to an address, at a channel if one is given.
fn grow(address: &mut Address, file: usize, constant: Constant, at: Option<u8>) -> Option<u8> {
    let mut held = match address {
        Address::Free => [None; 3],
        Address::Constants(held) => *held,
        Address::Temp(_) => return None,
    };
    let room = if file == 1 { 1 } else { 3 };
    let own = match constant {
        Constant::Register(_, channel) if (channel == 3) != (file == 1) => return None,
        Constant::Register(_, channel) => Some(channel % 3),
        Constant::Literal(_) | Constant::Uniform(_) | Constant::Array(_) => None,
    };
    let n = match at.or(own) {
        Some(at) if own.is_some_and(|own| own != at) => return None,
        Some(at) => at as usize,
        None => held[..room].iter().position(|held| held.is_none())?,
    };
    // aL is added to all channels of an address or to none; registers of the caller have no room for others.
    let place = |constant: Constant| match constant {
        Constant::Literal(_) | Constant::Uniform(_) => (false, None),
        Constant::Array(_) => (true, None),
        Constant::Register(n, _) => (false, Some(n)),
    };
    if held.iter().flatten().any(|other| place(*other) != place(constant)) {
        return None;
    }
    match held[n] {
        Some(other) if other != constant => return None,
        _ => held[n] = Some(constant),
    }
    *address = Address::Constants(held);
    Some(n as u8)
}

/// The value of a literal operand.
fn literal(operand: Operand) -> Option<f32> {
    match operand.source {
        Source::Atom(Atom::Constant(Constant::Literal(bits))) => {
            let value = f32::from_bits(bits);
            let value = if operand.abs { value.abs() } else { value };
            Some(if operand.neg { -value } else { value })
        }
        _ => None,
    }
}

/// A literal as it must be in the constant, so that the column's sign makes it the operand's value.
fn signed(atom: Atom, operand: Operand, neg: bool, abs: bool) -> Option<Atom> {
    let Some(value) = literal(operand) else { return Some(atom) };
    let value = if neg { -value } else { value };
    if abs && value.is_sign_negative() {
        return None;
    }
    Some(Atom::Constant(Constant::Literal(value.to_bits())))
}
