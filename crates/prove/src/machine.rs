//! Executes a program on terms: one point, all inputs.
//!
//! The walk reads decoded instructions, with `isa`'s formulas and accesses, not the rows of lowering.
//! Lowering is a compiler with assumptions of its own (what starts clean, which guards go), which a
//! proof would have to trust; instructions need only the table of operations, and both engines' rows and
//! compilers' programs can be compared with them. What an operation computes is left to the table.

use crate::Undecided;
use crate::cond::{Check, Cond};
use crate::flow::{Debt, ENDED, IntConstant, PointFlow};
use crate::term::{Id, Input, Names, Node, Terms};
use ctm_base::stop::Stop;
use ctm_isa::float;
use ctm_isa::isa::{
    ALPHA, Alu, AluOp, Body, FLOAT_CONSTANTS, FieldValue, Instruction, Omod, Presub, RGB, Register,
    Sel, Source, SourceKind, Swizzle, TEMPORARIES, Tex, TexOp, Type,
};
use ctm_isa::ops::{Calc, Formula, SWITCH};
use ctm_lang::program::interface::Kind;
use ctm_lang::program::{ConstantKind, Program};

/// The start value of a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Data of this number: four unknown values. Temporaries of both programs with the same number have
    /// the same data.
    Data(u32),
    /// These bits.
    Bits([u32; 4]),
}

/// A channel of a float constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// These bits.
    Bits(u32),
    /// Unknown: the same for all constants of that number and channel, in both programs.
    Constant(u8, u8),
    /// Unknown: the same for all constants that the uniform of that number has, in both programs.
    Uniform(u32, Kind),
}

impl Float {
    /// The channels of an unknown constant.
    pub fn unknown(constant: usize) -> [Float; 4] {
        [0, 1, 2, 3].map(|channel| Float::Constant(constant as u8, channel))
    }
}

/// The surroundings of a program that a proof takes into account.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Temporaries, and what they start with. The others start with 0, temporary 0 with the point.
    pub start: Vec<(u8, Start)>,
    /// The channels of the float constants.
    pub floats: Vec<[Float; 4]>,
    /// Count, aL's start and step of the integer constants.
    pub ints: [Option<IntConstant>; 32],
    /// The boolean constants.
    pub bools: [Option<bool>; 32],
    /// The numbers of the surfaces of inputs 0 to 15. Equal numbers are equal surfaces.
    pub surfaces: [u32; 16],
    /// The channels of each output that are compared, bit 0 R to bit 3 A.
    pub observed: [u8; 4],
    /// The names of these inputs, for texts.
    pub names: Names,
}

impl Default for Setup {
    /// Point, zeros, unknown constants, all surfaces different, all outputs.
    fn default() -> Setup {
        Setup {
            start: Vec::new(),
            floats: (0..FLOAT_CONSTANTS).map(Float::unknown).collect(),
            ints: [None; 32],
            bools: [None; 32],
            surfaces: std::array::from_fn(|n| n as u32),
            observed: [15; 4],
            names: Names::default(),
        }
    }
}

impl Setup {
    /// The same with the constants that a program brings along.
    pub fn of(program: &Program) -> Setup {
        let mut setup = Setup::default();
        for literal in &program.image().literals {
            let n = literal.addr as usize;
            let [first, second, third, _] = literal.value;
            match literal.kind {
                ConstantKind::Float => {
                    if let Some(float) = setup.floats.get_mut(n) {
                        *float = literal.value.map(Float::Bits);
                    }
                }
                ConstantKind::Int => {
                    if let Some(int) = setup.ints.get_mut(n) {
                        *int = Some((first as u8, second as u8, third as i8));
                    }
                }
                ConstantKind::Bool => {
                    if let Some(bool) = setup.bools.get_mut(n) {
                        *bool = Some(first != 0);
                    }
                }
            }
        }
        setup
    }
}

/// The results of a point, as terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// Held outputs, by number and channel; [`Node::Absent`] where they are not written.
    pub outputs: [[Id; 4]; 4],
    /// The point's own conditional value.
    pub own: Id,
    /// Whether the point is not killed.
    pub alive: Cond,
    /// Uncached writes in their order: when, and value, column, row, zero.
    pub uncached: Vec<(Cond, [Id; 4])>,
    /// No group executes more instructions: those of the walk and of all shortcuts that it follows.
    pub instructions: u64,
}

/// The state of a point.
#[derive(Clone)]
pub(crate) struct State {
    pub temps: Vec<[Id; 4]>,
    pub predicates: [Cond; 4],
    pub alu_result: Cond,
    pub flow: PointFlow,
    pub pc: u32,
    pub owed: Vec<Debt>,
    pub results: Results,
}

/// A program that runs on terms.
pub(crate) struct Walk<'a> {
    pub terms: &'a mut Terms,
    pub program: &'a Program,
    pub setup: &'a Setup,
    pub state: State,
    /// Whether loops are taken as a whole.
    pub by_shape: bool,
    /// How deeply loops are nested in those that were taken as a whole inside this one.
    pub height: u32,
    stop: &'a Stop,
    /// Whether the instruction that runs sees only active points.
    care: Cond,
}

/// The most uncached writes of a point.
const MOST_WRITES: usize = 1 << 12;

/// Runs a program on terms.
///
/// # Errors
/// If what it does cannot be said as terms.
pub fn execute(
    terms: &mut Terms,
    program: &Program,
    setup: &Setup,
    stop: &Stop,
) -> Result<Results, Undecided> {
    run(terms, program, setup, false, stop, None)
}

/// The channels of the temporaries before an instruction.
pub type Seen<'a> = &'a mut dyn FnMut(u32, &[[Id; 4]]);

/// As [`execute`]; `seen` gets the temporaries before each instruction, with its pc.
///
/// # Errors
/// As [`execute`].
pub fn execute_seen(
    terms: &mut Terms,
    program: &Program,
    setup: &Setup,
    stop: &Stop,
    seen: Seen<'_>,
) -> Result<Results, Undecided> {
    run(terms, program, setup, false, stop, Some(seen))
}

/// As [`execute`], but loops are taken as a whole: terms have their unknowns, which have no values.
///
/// # Errors
/// As [`execute`], and if a loop cannot be taken as a whole.
pub fn execute_by_shape(
    terms: &mut Terms,
    program: &Program,
    setup: &Setup,
    stop: &Stop,
) -> Result<Results, Undecided> {
    run(terms, program, setup, true, stop, None)
}

fn run(
    terms: &mut Terms,
    program: &Program,
    setup: &Setup,
    by_shape: bool,
    stop: &Stop,
    seen: Option<Seen<'_>>,
) -> Result<Results, Undecided> {
    if program.sharing().is_some() {
        return Err(Undecided::Sharing);
    }
    // A point sees its own uncached writes where it fetches from them.
    if program.umrt() && program.uses().inputs != 0 {
        return Err(Undecided::OwnWrites);
    }
    terms.names.add(&setup.names);
    let state = State::start(terms, program, setup);
    let care = Cond::TRUE;
    let mut walk = Walk { terms, program, setup, state, by_shape, height: 0, stop, care };
    walk.run(seen)?;
    Ok(walk.results())
}

impl State {
    fn start(terms: &mut Terms, program: &Program, setup: &Setup) -> State {
        let zero = terms.literal(0);
        let absent = terms.make(Node::Absent);
        let mut temps = vec![[zero; 4]; TEMPORARIES];
        for n in 0..2 {
            temps[0][usize::from(n)] = terms.make(Node::Input(Input::Point(n)));
        }
        for &(n, start) in &setup.start {
            let value = |channel: usize| match start {
                Start::Data(data) => Node::Input(Input::Data(data, channel as u8)),
                Start::Bits(bits) => Node::Literal(bits[channel]),
            };
            let value = [0, 1, 2, 3].map(|channel| terms.make(value(channel)));
            if let Some(temp) = temps.get_mut(usize::from(n)) {
                *temp = value;
            }
        }
        State {
            temps,
            predicates: [Cond::FALSE; 4],
            alu_result: Cond::FALSE,
            flow: PointFlow::default(),
            pc: program.registers().start(),
            owed: Vec::new(),
            results: Results {
                outputs: [[absent; 4]; 4],
                own: absent,
                alive: Cond::TRUE,
                uncached: Vec::new(),
                instructions: 0,
            },
        }
    }
}

impl Walk<'_> {
    fn run(&mut self, mut seen: Option<Seen<'_>>) -> Result<(), Undecided> {
        loop {
            let pc = self.state.pc;
            if let Some(seen) = &mut seen {
                seen(pc, &self.state.temps);
            }
            self.state.pc = self.instruction()?;
            if pc == self.program.registers().end() {
                break;
            }
        }
        // Nothing of the flow state counts after the end.
        (self.state.pc, self.state.flow) = (ENDED, PointFlow::default());
        self.settle(false)
    }

    /// Runs the instruction at the pc. Returns the next pc.
    pub(crate) fn instruction(&mut self) -> Result<u32, Undecided> {
        let (program, pc) = (self.program, self.state.pc);
        if self.state.results.instructions.is_multiple_of(64) {
            self.stop.check()?;
        }
        self.terms.pc = Some(pc);
        self.state.results.instructions += 1;
        let instruction = program.instructions().get(pc as usize).ok_or(Undecided::Fault)?;
        self.settle(instruction.common.write_inactive)?;
        let active = self.state.flow.active(self.terms);
        self.care = if instruction.common.write_inactive { Cond::TRUE } else { active };
        let next = match &instruction.body {
            Body::Fc(fc) => self.flow(&instruction.common, fc)?,
            // No point of any group does anything here.
            Body::Alu(_) | Body::Tex(_) if self.care == Cond::FALSE => (pc + 1) & 0x1ff,
            Body::Alu(alu) => {
                self.alu(instruction, alu)?;
                (pc + 1) & 0x1ff
            }
            Body::Tex(tex) => {
                self.tex(instruction, tex, active)?;
                (pc + 1) & 0x1ff
            }
        };
        // A step for the instruction: loops that make no terms end, too.
        if self.terms.burn() { Ok(next) } else { Err(Undecided::TooLarge) }
    }

    /// The results, of points that are not killed.
    fn results(self) -> Results {
        let Walk { terms, setup, state, .. } = self;
        let mut results = state.results;
        let absent = terms.make(Node::Absent);
        for (output, observed) in results.outputs.iter_mut().zip(setup.observed) {
            for (channel, value) in output.iter_mut().enumerate() {
                let seen = observed >> channel & 1 != 0;
                *value = if seen { terms.choose(results.alive, *value, absent) } else { absent };
            }
        }
        results.own = terms.choose(results.alive, results.own, absent);
        results
    }

    /// The condition that an instruction writes a channel.
    fn gate(&mut self, instruction: &Instruction, channel: usize) -> Cond {
        let common = &instruction.common;
        let Some(bit) = common.gates()[channel] else { return self.care };
        let mut gate = self.state.predicates[bit];
        if common.pred_inv[channel / 3] {
            gate = self.terms.not(gate);
        }
        self.terms.and(self.care, gate)
    }

    fn temp_index(&self, n: u8, relative: bool) -> usize {
        let offset = if relative { self.state.flow.al } else { 0 };
        i32::from(n).wrapping_add(offset) as usize & (TEMPORARIES - 1)
    }

    /// A channel of a source, of the points that the instruction runs for.
    fn source(
        &mut self,
        instruction: &Instruction,
        source: Source,
        channel: usize,
    ) -> Result<Id, Undecided> {
        let value = self.source_of_all(instruction, source, channel)?;
        Ok(self.terms.restrict(value, self.care))
    }

    fn source_of_all(
        &mut self,
        instruction: &Instruction,
        source: Source,
        channel: usize,
    ) -> Result<Id, Undecided> {
        match (instruction.source_register(source), source.kind()) {
            (Some(Register::Temp(n, relative)), _) => {
                Ok(self.state.temps[self.temp_index(n, relative)][channel])
            }
            (Some(Register::Global(..)), _) => Err(Undecided::Sharing),
            (None, SourceKind::Inline(code)) => {
                Ok(self.terms.literal(float::inline_constant(code.into())))
            }
            (None, SourceKind::Constant(n) | SourceKind::Temp(n)) => {
                let offset = if source.relative { self.state.flow.al } else { 0 };
                let n = i32::from(n).wrapping_add(offset) as usize & (FLOAT_CONSTANTS - 1);
                let float = self.setup.floats.get(n).map(|float| float[channel]);
                Ok(self.terms.make(match float.unwrap_or(Float::Bits(0)) {
                    Float::Bits(bits) => Node::Literal(bits),
                    Float::Constant(n, channel) => Node::Input(Input::Constant(n, channel)),
                    Float::Uniform(n, kind) => Node::Input(Input::Uniform(n, kind)),
                }))
            }
        }
    }

    /// A lane of input A, B or C (0 to 2), with its modifier.
    fn input(
        &mut self,
        instruction: &Instruction,
        alu: &Alu,
        input: usize,
        lane: usize,
    ) -> Result<Id, Undecided> {
        let (sel, swizzle, modifier) = alu.lane(input, lane);
        let value = match swizzle.channel() {
            Some(channel) => self.selected(instruction, alu, sel, channel)?,
            None => self.terms.literal(match swizzle {
                Swizzle::Half => float::HALF,
                Swizzle::One => float::ONE,
                Swizzle::R | Swizzle::G | Swizzle::B | Swizzle::A => 0,
                Swizzle::Zero | Swizzle::Unused => 0,
            }),
        };
        Ok(self.terms.sign(modifier, value))
    }

    fn selected(
        &mut self,
        instruction: &Instruction,
        alu: &Alu,
        sel: Sel,
        channel: usize,
    ) -> Result<Id, Undecided> {
        let unit = alu.unit_of(channel);
        if let Some(n) = sel.source() {
            return self.source(instruction, unit.sources[n], channel);
        }
        let src0 = self.source(instruction, unit.sources[0], channel)?;
        let minus = self.terms.neg(src0);
        let one = self.terms.literal(float::ONE);
        let (a, b) = match unit.presub {
            Presub::Bias => {
                let two = self.terms.literal(crate::rules::TWO);
                let twice = self.terms.calc(Calc::Product, 0, [two, src0]);
                (one, self.terms.neg(twice))
            }
            Presub::Sub => (self.source(instruction, unit.sources[1], channel)?, minus),
            Presub::Add => (self.source(instruction, unit.sources[1], channel)?, src0),
            Presub::Inv => (one, minus),
        };
        Ok(self.terms.calc(Calc::Add, 0, [a, b]))
    }

    /// The result of a channel before output modifier and clamp.
    fn operation(
        &mut self,
        instruction: &Instruction,
        alu: &Alu,
        channel: usize,
    ) -> Result<Id, Undecided> {
        let (op, lane) = alu.computed(channel);
        let zero = if self.program.registers().zero_times() { SWITCH } else { 0 };
        let product = |walk: &mut Self, lane| {
            let a = walk.input(instruction, alu, 0, lane)?;
            let b = walk.input(instruction, alu, 1, lane)?;
            Ok::<Id, Undecided>(walk.terms.calc(Calc::Product, zero, [a, b]))
        };
        match Formula::of(op) {
            Formula::Calc(calc) => {
                let mut operands = [Id(0); 4];
                for (n, operand) in operands.iter_mut().enumerate().take(calc.facts().operands) {
                    *operand = self.input(instruction, alu, n, lane)?;
                }
                let aux = match calc.facts().facts.aux {
                    ctm_isa::ops::Aux::ZeroTimes => zero,
                    ctm_isa::ops::Aux::Own | ctm_isa::ops::Aux::Modifier => 0,
                };
                Ok(self.terms.make(Node::Calc(calc, aux, operands)))
            }
            Formula::Dp3 => {
                let of = [product(self, 0)?, product(self, 1)?, product(self, 2)?];
                Ok(self.terms.calc(Calc::Sum3, 0, of))
            }
            Formula::Dp4 => {
                let of = [product(self, 0)?, product(self, 1)?, product(self, 2)?];
                let last = product(self, 3)?;
                Ok(self.terms.calc(Calc::Sum4, 0, [of[0], of[1], of[2], last]))
            }
            Formula::D2a => {
                let of = [product(self, 0)?, product(self, 1)?];
                let c = self.input(instruction, alu, 2, 2)?;
                Ok(self.terms.calc(Calc::Sum3, 0, [of[0], of[1], c]))
            }
            Formula::Neighbour(other) => {
                let unit = alu.unit_of(lane);
                let value = self.source_of_all(instruction, unit.sources[0], lane)?;
                let neighbour = |walk: &mut Self, input: usize, point: u8| {
                    let value = walk.terms.make(Node::Quad(point, value));
                    walk.terms.sign(unit.inputs[input].modifier, value)
                };
                let a = neighbour(self, 0, 0);
                let c = neighbour(self, 2, other as u8);
                let b = self.input(instruction, alu, 1, lane)?;
                Ok(self.terms.calc(Calc::Mad, zero, [a, b, c]))
            }
            Formula::Other | Formula::Nothing => Ok(self.terms.literal(0)),
        }
    }

    fn alu(&mut self, instruction: &Instruction, alu: &Alu) -> Result<(), Undecided> {
        let common = &instruction.common;
        let mut values = [Id(0); 4];
        for channel in ctm_isa::isa::channels(instruction.results()) {
            let unit = alu.unit_of(channel);
            let raw = self.operation(instruction, alu, channel)?;
            let aux = match unit.omod {
                Omod::Disabled if unit.op.is_select() => Omod::Disabled.code() as u16,
                Omod::Disabled => Omod::X1.code() as u16,
                omod => {
                    let clamp = if common.clamp[channel / 3] { SWITCH } else { 0 };
                    omod.code() as u16 | clamp
                }
            };
            values[channel] = self.terms.calc(Calc::Finish, aux, [raw]);
        }
        if alu.units[RGB].op == AluOp::MovaFloor || alu.units[ALPHA].op == AluOp::MovaFloor {
            return Err(Undecided::Sharing);
        }
        self.write(instruction, alu, values)
    }

    fn write(
        &mut self,
        instruction: &Instruction,
        alu: &Alu,
        values: [Id; 4],
    ) -> Result<(), Undecided> {
        let common = &instruction.common;
        let gates = [0, 1, 2, 3].map(|channel| self.gate(instruction, channel));
        for channel in ctm_isa::isa::channels(common.wmask) {
            let unit = alu.unit_of(channel);
            let Register::Temp(n, relative) = instruction.register(unit.dest, unit.dest_rel) else {
                return Err(Undecided::Sharing);
            };
            self.set_temp(n, relative, channel, (gates[channel], values[channel]));
        }
        let care = self.care;
        for channel in ctm_isa::isa::channels(common.omask) {
            let (value, target) = (values[channel], alu.unit_of(channel).target & 3);
            match common.class {
                Type::Alu => {
                    let holds = self.terms.check(Check::Compare(target), value);
                    let old = self.state.predicates[channel];
                    self.state.predicates[channel] = self.terms.if_else(care, holds, old);
                }
                Type::Out if !self.program.umrt() => {
                    let place = &mut self.state.results.outputs[usize::from(target)][channel];
                    *place = self.terms.choose(gates[channel], value, *place);
                }
                Type::Out | Type::Tex | Type::Fc => {}
            }
        }
        if common.class == Type::Out && self.program.umrt() && common.omask == 15 {
            let alive = self.state.results.alive;
            let when = gates.into_iter().fold(alive, |all, gate| self.terms.and(all, gate));
            if self.state.results.uncached.len() == MOST_WRITES {
                return Err(Undecided::TooLarge);
            }
            if when != Cond::FALSE {
                self.state.results.uncached.push((when, values));
            }
        }
        if alu.alu_wmask {
            let check = Check::Compare(common.alu_result_op.code() as u8);
            let holds = self.terms.check(check, values[common.alu_result_sel.channel()]);
            self.state.alu_result = self.terms.if_else(care, holds, self.state.alu_result);
        }
        if alu.w_omask {
            let own = self.state.results.own;
            self.state.results.own = self.terms.choose(gates[3], values[3], own);
        }
        Ok(())
    }

    fn set_temp(&mut self, n: u8, relative: bool, channel: usize, (when, value): (Cond, Id)) {
        let n = self.temp_index(n, relative);
        let old = self.state.temps[n][channel];
        self.state.temps[n][channel] = self.terms.choose(when, value, old);
    }

    fn tex(&mut self, instruction: &Instruction, tex: &Tex, active: Cond) -> Result<(), Undecided> {
        if tex.op == TexOp::Texkill {
            // Only active points are killed.
            self.care = active;
            let mut kills = Cond::FALSE;
            for coordinate in 0..4 {
                let value = self.coordinate(tex, coordinate);
                let one = self.terms.check(Check::Kills, value);
                kills = self.terms.or(kills, one);
            }
            let killed = self.terms.and(kills, active);
            let left = self.terms.not(killed);
            self.state.results.alive = self.terms.and(self.state.results.alive, left);
            return Ok(());
        }
        if !tex.op.fetches() || instruction.common.wmask == 0 {
            return Ok(());
        }
        if tex.ignore_uncovered && self.program.uses().neighbours {
            return Err(Undecided::Uncovered);
        }
        let mut at = [self.coordinate(tex, 0), self.coordinate(tex, 1)];
        if tex.op == TexOp::Proj {
            let q = self.coordinate(tex, 3);
            let reciprocal = self.terms.calc(Calc::Rcp, 0, [q]);
            at = at.map(|id| self.terms.calc(Calc::Product, 0, [id, reciprocal]));
        }
        let surface = self.setup.surfaces[usize::from(tex.input) & 15];
        let mut fetched = Vec::new();
        for channel in ctm_isa::isa::channels(instruction.common.wmask) {
            let from = tex.dest_swizzle[channel].code() as u8;
            let node = Node::Texel { surface, unscaled: tex.unscaled, channel: from, at };
            fetched.push((channel, self.terms.make(node)));
        }
        for (channel, value) in fetched {
            let gate = self.gate(instruction, channel);
            self.set_temp(tex.dest, tex.dest_rel, channel, (gate, value));
        }
        Ok(())
    }

    /// Coordinate S, T, R or Q (0 to 3).
    fn coordinate(&mut self, tex: &Tex, n: usize) -> Id {
        let temp = self.temp_index(tex.src.addr, tex.src.relative);
        let value = self.state.temps[temp][tex.src.swizzle[n].code() as usize & 3];
        self.terms.restrict(value, self.care)
    }
}
