//! From the steps of a shader of ps_3_0 to the graph, by rules that change no bit. An interpreter whose values are nodes:
//! both sides of a branch run, and selects join them; a loop of a known count stays a loop.
//!
//! Steps that the graph cannot express keep the shader line by line: subroutines, boolean constants of the caller, loops
//! whose count the caller gives, registers relative to aL, the conditional output, outputs that not every point writes,
//! differences of neighbours in branches and loops.

mod variables;

use ctm_base::text::Span;
use ctm_codegen::flow::{Block, BlockId, Control, FlowGraph, Phi, VariableId};
use ctm_codegen::graph::{Fetch, Graph, Id, Op, Rules};
use ctm_codegen::ir::{Declared, Ir, OutputChannel, Registers, Store};
use ctm_isa::arithmetic::{Arithmetic, Operations};
use ctm_isa::isa::{Comparison, OUTPUTS, TEMPORARIES, TexOp, channels};
use ctm_lang::program::interface::{Interface, Kind, Scalar, Uniform, Varying};
use ctm_lang::program::{ConstantKind, Name};
use ctm_lang::ps::Expansion;
use ctm_lang::ps::steps::{Base, Dest, Source, Step, Target, Test};
use std::collections::{BTreeMap, BTreeSet};

/// A register that steps write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Register {
    Temp(u8),
    Output(u8),
    Predicate,
}

/// A channel of a register.
type RegisterChannel = (Register, usize);

type State = BTreeMap<RegisterChannel, Id>;

pub(super) struct Lowering<'a> {
    expansion: &'a Expansion<'a>,
    /// The next step.
    at: usize,
    graph: Graph,
    flow: FlowGraph,
    interface: Interface,
    /// The shader's names of temporaries.
    names: Vec<Name>,
    /// The registers of the shader that it names.
    variables: Vec<Declared>,
    /// Their values from the start, as far as it is read.
    starts: Vec<Store>,
    /// The values that they are given.
    values: Vec<Store>,
    /// The constants of the caller.
    given: Vec<u8>,
    /// The values written so far.
    state: State,
    /// The offsets of the last writes to outputs.
    stores: BTreeMap<RegisterChannel, u32>,
    alu_result: Option<Id>,
    /// The condition of the branches around, within the innermost loop; `None` outside all.
    path: Option<Id>,
    /// The conditions of the branches around the loops.
    paths: Vec<Option<Id>>,
    /// No point goes on here.
    dead: bool,
    /// The variables of the loops around.
    loops: Vec<Vec<(RegisterChannel, VariableId)>>,
}

impl<'a> Lowering<'a> {
    pub(super) fn of(expansion: &'a Expansion<'a>) -> Lowering<'a> {
        let given = expansion.given();
        let names = expansion.names();
        let varying = |n: usize| {
            let own = names.iter().find(|name| name.number as usize == n);
            let name = own.map_or_else(|| format!("r{n}"), |own| own.name.clone());
            Varying { name, rows: 4, kind: Kind::Float, temp: None }
        };
        let uniform = |n: &u8| {
            let (name, kind, default) = (format!("c{n}"), Kind::Float, None);
            Uniform { name, kind, columns: 1, rows: 4, default, used: false }
        };
        let varyings = (0..TEMPORARIES).map(varying).collect();
        let uniforms = given.iter().map(uniform).collect();
        Lowering {
            expansion,
            at: 0,
            graph: Graph::new(Rules::Bits),
            flow: FlowGraph::default(),
            interface: Interface { varyings, uniforms, ..Interface::default() },
            names,
            variables: Vec::new(),
            starts: Vec::new(),
            values: Vec::new(),
            given,
            state: State::new(),
            stores: BTreeMap::new(),
            alu_result: None,
            path: None,
            paths: Vec::new(),
            dead: false,
            loops: Vec::new(),
        }
    }

    /// The shader, if the graph can express it.
    ///
    /// # Errors
    /// The place of a step that it cannot express.
    pub(super) fn lower(mut self) -> Result<Ir, Span> {
        if self.block().is_none() {
            let step = self.expansion.steps.get(self.at);
            return Err(step.map_or(Span::default(), |located| located.span));
        }
        let outputs = self.state.iter().filter_map(|(place, value)| match *place {
            (Register::Output(slot), channel) => {
                let origin = self.stores.get(place).copied().unwrap_or(0);
                Some(OutputChannel { slot, channel: channel as u8, value: *value, origin })
            }
            (Register::Temp(_), _) | (Register::Predicate, _) => None,
        });
        let outputs: Vec<OutputChannel> = outputs.collect();
        if outputs.is_empty() || outputs.iter().any(|output| usize::from(output.slot) >= OUTPUTS) {
            return Err(Span::default());
        }
        self.graph.settle();
        Ok(Ir {
            graph: self.graph,
            flow: self.flow,
            outputs,
            interface: self.interface,
            variables: self.variables,
            stores: [self.starts, self.values].concat(),
            registers: Some(Registers { constants: self.given }),
        })
    }

    /// Steps up to the end of the block, which is the next step then.
    fn block(&mut self) -> Option<()> {
        let expansion = self.expansion;
        while let Some(located) = expansion.steps.get(self.at) {
            match &located.step {
                Step::Else | Step::EndIf | Step::EndLoop(_) | Step::End => return Some(()),
                _ if self.dead => self.skip(),
                step => {
                    self.graph.origin = located.span.start as u32;
                    self.step(step)?;
                }
            }
            self.at += 1;
        }
        Some(())
    }

    /// Goes to the end of the block that the next step begins, or nowhere if it begins none.
    fn skip(&mut self) {
        let mut depth = 0;
        while let Some(located) = self.expansion.steps.get(self.at) {
            match located.step {
                Step::If(_) | Step::Loop(..) => depth += 1,
                Step::EndIf | Step::EndLoop(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
            self.at += 1;
        }
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Vector(op, dest, sources) => {
                let values = |this: &mut Self, lane| this.vector(op, sources, lane);
                self.write(dest, values)
            }
            Step::Interpolate(dest, sources) => self.write(dest, |this, lane| {
                let [factor, a, b] = sources.map(|source| this.source(&source, lane));
                let (factor, a, b) = (factor?, a?, b?);
                let difference = this.graph.sub(b, a);
                let product = Operations::mul(&mut this.graph, factor, difference);
                Some(Operations::add(&mut this.graph, product, a))
            }),
            Step::Dot(op, dest, sources) => {
                let value = self.dot(op, sources)?;
                self.write(dest, |_, _| Some(value))
            }
            Step::Scalar(op, dest, source) => {
                let a = self.source(source, 0)?;
                let op = match *op {
                    "rcp" => Op::Rcp,
                    "rsq" => Op::Rsq,
                    "ex2" => Op::Ex2,
                    "ln2" => Op::Ln2,
                    "sin" => Op::Sin,
                    "cos" => Op::Cos,
                    _ => return None,
                };
                let value = op.apply(&mut self.graph, &[a])?;
                self.write(dest, |_, _| Some(value))
            }
            Step::Neighbours(op, dest, temp) => {
                let straight = self.path.is_none() && self.loops.is_empty();
                let op = if *op == "mdh" { Op::Dx } else { Op::Dy };
                straight.then_some(())?;
                self.write(dest, |this, lane| {
                    let value = this.read((Register::Temp(*temp), lane))?;
                    Some(this.graph.intern(op, &[value]))
                })
            }
            Step::Fetch(op, dest, input, swizzle, coordinates) => {
                let lanes: &[usize] = match op {
                    TexOp::Ld | TexOp::LodBias | TexOp::Lod | TexOp::DxDy => &[0, 1],
                    TexOp::Proj => &[0, 1, 3],
                    TexOp::Nop | TexOp::Texkill | TexOp::Reserved(_) => return None,
                };
                let source = coordinates.first()?;
                let read = lanes.iter().map(|lane| self.source(source, *lane));
                let operands: Vec<Id> = read.collect::<Option<_>>()?;
                let fetch = Fetch { input: *input, unscaled: true, projected: *op == TexOp::Proj };
                let fetch = self.graph.intern(Op::Fetch(fetch), &operands);
                self.write(dest, |this, lane| {
                    let channel = swizzle.map_or(lane as u8, |swizzle| swizzle[lane]);
                    Some(this.graph.intern(Op::Texel(channel), &[fetch]))
                })
            }
            Step::Kill(source) => self.kill(source),
            Step::If(test) => self.branch(*test),
            Step::Loop(_, n) => self.repeat(*n),
            Step::Break(test) => self.leave(*test),
            Step::Call(..) | Step::Label(_) | Step::Return => None,
            Step::Else | Step::EndIf | Step::EndLoop(_) | Step::End => Some(()),
        }
    }

    /// The number at a place.
    fn read(&mut self, place: RegisterChannel) -> Option<Id> {
        match self.state.get(&place) {
            Some(value) => Some(*value),
            None => self.initial(place),
        }
    }

    /// The number at a place that nothing wrote; none for an output.
    fn initial(&mut self, place: RegisterChannel) -> Option<Id> {
        match place {
            (Register::Temp(n), channel) => {
                let input = Op::Input(4 * u32::from(n) + channel as u32);
                let value = self.graph.intern(input, &[]);
                if let Some(name) = self.name(Register::Temp(n)) {
                    self.start(name, channel, value);
                }
                Some(value)
            }
            // Predicates start clear.
            (Register::Predicate, _) => Some(self.graph.number(0.0)),
            (Register::Output(_), _) => None,
        }
    }

    /// A lane of a source.
    fn source(&mut self, source: &Source, lane: usize) -> Option<Id> {
        let channel = usize::from(source.swizzle[lane]);
        let mut value = match source.base {
            Base::Temp(n) => self.read((Register::Temp(n), channel))?,
            Base::Constant(n) => match self.expansion.value(ConstantKind::Float, n) {
                Some(values) => self.graph.literal(values[channel]),
                None => {
                    let uniform = self.given.binary_search(&n).ok()?;
                    let scalar = self.interface.scalar(Scalar::Uniform(uniform, channel));
                    let value = self.graph.intern(Op::Uniform(scalar), &[]);
                    self.start(format!("c{n}"), channel, value);
                    value
                }
            },
            Base::Defined(n, values) => {
                let value = self.graph.literal(values[channel]);
                self.start(format!("c{n}"), channel, value);
                value
            }
            Base::Number(value) => self.graph.number(value),
            Base::TempRelative(_) | Base::ConstantRelative(_) => return None,
        };
        if source.abs {
            value = Operations::abs(&mut self.graph, value);
        }
        Some(if source.negate { Operations::neg(&mut self.graph, value) } else { value })
    }

    /// A lane of an operation that works lane by lane.
    fn vector(&mut self, op: &str, sources: &[Source], lane: usize) -> Option<Id> {
        let read = sources.iter().map(|source| self.source(source, lane));
        let operands: Vec<Id> = read.collect::<Option<_>>()?;
        let graph = &mut self.graph;
        let op = match (op, &operands[..]) {
            ("mov.exact", [a]) => return Some(*a),
            ("sub", [a, b]) => return Some(graph.sub(*a, *b)),
            ("mad", [a, b, c]) => {
                let product = Operations::mul(graph, *a, *b);
                return Some(Operations::add(graph, product, *c));
            }
            ("add", _) => Op::Add,
            ("frc", _) => Op::Frc,
            ("min.exact", _) => Op::Min,
            ("max.exact", _) => Op::Max,
            ("cmp.exact", _) => Op::Cmp,
            _ => return None,
        };
        op.apply(graph, &operands)
    }

    /// A fused sum of products.
    fn dot(&mut self, op: &str, sources: &[Source]) -> Option<Id> {
        let one = self.graph.number(1.0);
        let (count, last) = match (op, sources) {
            ("dp3", [_, _]) => (3, None),
            ("dp4", [_, _]) => (4, None),
            ("d2a", [_, _, c]) => (2, Some([self.source(c, 2)?, one])),
            _ => return None,
        };
        let mut pairs = Vec::new();
        for lane in 0..count {
            for source in &sources[..2] {
                pairs.push(self.source(source, lane)?);
            }
        }
        pairs.extend(last.into_iter().flatten());
        Some(self.graph.intern(Op::Dot(pairs.len() as u8 / 2), &pairs))
    }

    /// Writes the lanes of a destination, after all are computed.
    fn write(
        &mut self,
        dest: &Dest,
        mut value: impl FnMut(&mut Self, usize) -> Option<Id>,
    ) -> Option<()> {
        let mut values = Vec::new();
        for lane in channels(dest.mask) {
            let value = value(self, lane)?;
            values.push((
                lane,
                if dest.saturate { Operations::clamp(&mut self.graph, value) } else { value },
            ));
        }
        for (lane, value) in values {
            let (place, value) = match dest.target {
                Target::Temp(n) => ((Register::Temp(n), lane), value),
                Target::Output(n) => ((Register::Output(n), lane), value),
                Target::Predicate(test) => ((Register::Predicate, lane), self.compare(test, value)),
                Target::AluResult(test) => {
                    self.alu_result = Some(self.compare(test, value));
                    continue;
                }
                Target::Depth => return None,
            };
            let value = match dest.gate {
                Some(gate) => {
                    let bit =
                        self.read((Register::Predicate, gate.channel.map_or(lane, usize::from)))?;
                    let old = self.read(place)?;
                    let [yes, no] = if gate.not { [old, value] } else { [value, old] };
                    Arithmetic::select(&mut self.graph, bit, yes, no)
                }
                None => value,
            };
            if let (Register::Output(_), _) = place {
                self.stores.insert(place, self.graph.origin);
            }
            self.state.insert(place, value);
            self.note(place, value, self.graph.origin, false);
        }
        Some(())
    }

    /// A comparison with 0, as the machine's: of a NaN only `ne` holds.
    fn compare(&mut self, test: Comparison, value: Id) -> Id {
        self.graph.counted(1, |graph| {
            let [zero, one] = [0.0, 1.0].map(|value| graph.number(value));
            match test {
                Comparison::GreaterEqual => graph.cmp(one, zero, value),
                Comparison::Less => {
                    let below = graph.min(value, zero);
                    graph.cmp(zero, one, below)
                }
                Comparison::Equal | Comparison::NotEqual => {
                    let size = graph.abs(value);
                    let size = graph.neg(size);
                    let equal = test == Comparison::Equal;
                    let [yes, no] = if equal { [one, zero] } else { [zero, one] };
                    graph.cmp(yes, no, size)
                }
            }
        })
    }

    fn test(&mut self, test: Test) -> Option<Id> {
        match test {
            Test::Known(holds) => Some(self.graph.number(f32::from(holds))),
            Test::AluResult => self.alu_result,
            Test::Predicate(channel, clear) => {
                let bit = self.read((Register::Predicate, channel.into()))?;
                Some(if clear { self.graph.not(bit) } else { bit })
            }
            Test::Boolean(..) => None,
        }
    }

    /// Both conditions; `None` always holds.
    fn both(&mut self, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.graph.and(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn kill(&mut self, source: &Source) -> Option<()> {
        let mut path = self.path;
        for outer in self.paths.clone() {
            path = self.both(path, outer);
        }
        for lane in 0..4 {
            let value = self.source(source, lane)?;
            let below = self.compare(Comparison::Less, value);
            let kill = self.both(path, Some(below))?;
            let origin = self.graph.origin;
            self.flow.blocks.last_mut()?.kills.push((kill, origin));
        }
        Some(())
    }

    /// A branch: both sides run, and selects join them.
    fn branch(&mut self, test: Test) -> Option<()> {
        let condition = self.test(test)?;
        let opposite = self.graph.not(condition);
        let (around, origin) = (self.path, self.graph.origin);
        let before = self.state.clone();
        let then = self.side(around, condition)?;
        let other = match self.expansion.steps.get(self.at)?.step {
            Step::Else => {
                self.state.clone_from(&before);
                self.side(around, opposite)?
            }
            _ => (before.clone(), self.graph.is(opposite, 0.0)),
        };
        (self.path, self.graph.origin) = (around, origin);
        (self.state, self.dead) = match (then, other) {
            ((a, false), (b, false)) => (self.join(condition, &a, &b)?, false),
            ((a, dead), (_, true)) => (a, dead),
            ((_, true), (b, false)) => (b, false),
        };
        let left: Vec<(RegisterChannel, Id)> =
            self.state.iter().map(|(place, value)| (*place, *value)).collect();
        for (place, value) in left {
            if before.get(&place) != Some(&value) {
                self.note(place, value, self.here(), true);
            }
        }
        Some(())
    }

    /// Runs the side of a branch after this step. Returns what is written then, and whether no point goes on.
    fn side(&mut self, around: Option<Id>, condition: Id) -> Option<(State, bool)> {
        self.at += 1;
        self.path = self.both(around, Some(condition));
        self.dead = self.graph.is(condition, 0.0);
        self.block()?;
        Some((std::mem::take(&mut self.state), std::mem::take(&mut self.dead)))
    }

    /// The numbers after a branch.
    fn join(&mut self, condition: Id, a: &State, b: &State) -> Option<State> {
        let mut joined = State::new();
        let places: BTreeSet<RegisterChannel> = a.keys().chain(b.keys()).copied().collect();
        for place in places {
            let mut of = |state: &State| match state.get(&place) {
                Some(value) => Some(*value),
                None => self.initial(place),
            };
            let (yes, no) = (of(a)?, of(b)?);
            joined.insert(place, Arithmetic::select(&mut self.graph, condition, yes, no));
        }
        Some(joined)
    }

    /// A loop, up to its end. What its steps write is in variables.
    fn repeat(&mut self, n: u8) -> Option<()> {
        let [count, ..] = self.expansion.value(ConstantKind::Int, n)?;
        let start = self.at;
        self.skip();
        let end = std::mem::replace(&mut self.at, start + 1);
        if count == 0 {
            self.at = end;
            return Some(());
        }
        let steps = &self.expansion.steps[start..end];
        let written: BTreeSet<RegisterChannel> =
            steps.iter().filter_map(|located| located.step.dest()).flat_map(places).collect();
        let variables: Vec<(RegisterChannel, VariableId)> =
            written.into_iter().zip(self.flow.variables..).collect();
        self.flow.variables += variables.len();
        let mut registers: BTreeMap<Register, Vec<VariableId>> = BTreeMap::new();
        for ((register, _), variable) in &variables {
            registers.entry(*register).or_default().push(*variable);
        }
        self.flow.vectors.extend(registers.into_values());
        self.end(Control::Loop(u8::try_from(count).ok()?), &variables)?;
        self.take(&variables);
        self.paths.push(self.path.take());
        self.loops.push(variables);
        self.block()?;
        let variables = self.loops.pop()?;
        self.path = self.paths.pop()?;
        self.dead = false;
        self.graph.origin = self.here();
        self.end(Control::EndLoop, &variables)?;
        self.take(&variables);
        Some(())
    }

    /// Leaves the innermost loop.
    fn leave(&mut self, test: Option<Test>) -> Option<()> {
        let condition = match test {
            Some(test) => Some(self.test(test)?),
            None => None,
        };
        let always = condition.is_none_or(|condition| self.graph.is(condition, 1.0));
        let condition = self.both(self.path, condition);
        let condition = condition.unwrap_or_else(|| self.graph.number(1.0));
        if !self.graph.is(condition, 0.0) {
            let variables = self.loops.last()?.clone();
            self.end(Control::Break(condition), &variables)?;
            self.dead = always;
        }
        Some(())
    }

    /// Ends the block, and assigns to variables.
    fn end(&mut self, end: Control, variables: &[(RegisterChannel, VariableId)]) -> Option<()> {
        let mut assignments = Vec::new();
        for (place, variable) in variables {
            assignments.push((*variable, self.read(*place)?));
        }
        let origin = self.graph.origin;
        let block = self.flow.blocks.last_mut()?;
        (block.assignments, block.end, block.origin) = (assignments, end, origin);
        self.flow.blocks.push(Block::new(Control::Next));
        Some(())
    }

    /// The new block takes the values of variables.
    fn take(&mut self, variables: &[(RegisterChannel, VariableId)]) {
        let block: BlockId = self.flow.blocks.len() - 1;
        for (place, variable) in variables {
            self.flow.phis.push(Phi { variable: *variable, block });
            let phi = Op::Phi(self.flow.phis.len() as u32 - 1);
            let value = self.graph.intern(phi, &[]);
            self.state.insert(*place, value);
            self.note(*place, value, self.graph.origin, true);
        }
    }
}

/// The places that a destination writes.
fn places(dest: &Dest) -> Vec<RegisterChannel> {
    let place = |lane| match dest.target {
        Target::Temp(n) => Some((Register::Temp(n), lane)),
        Target::Output(n) => Some((Register::Output(n), lane)),
        Target::Predicate(_) => Some((Register::Predicate, lane)),
        Target::AluResult(_) | Target::Depth => None,
    };
    channels(dest.mask).filter_map(place).collect()
}
