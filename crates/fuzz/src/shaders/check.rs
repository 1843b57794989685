//! A shader compiled and run by an engine, against the evaluator.

use ctm_base::panics;
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_base::text::TextErrors;
use ctm_compiler::evaluate::{Environment, Evaluator, Number, Point};
use ctm_compiler::{Compiled, Flow, Level, Options};
use ctm_isa::float;
use ctm_isa::isa::{Body, FcOp, Instruction};
use ctm_lang::program::Program;
use ctm_lang::program::interface::{Interface, Kind, Scalar};
use ctm_machine::engine::{Engine, NoProgress};
use ctm_machine::launch::{Constants, Initial, Launch};
use ctm_machine::memory::{
    ArenaKind, ArenaSizes, Memory, Wrap, load, wrap_coordinate, write_array,
};
use ctm_prove::{Answer, Set, Setup, prove};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The points of a shader's run, and the elements of its inputs.
const WIDTH: u32 = 8;
const HEIGHT: u32 = 4;

/// The bytes of outputs before a run.
const POISON: u8 = 0xa5;

/// A channel of an output that nothing writes.
pub(super) const UNWRITTEN: u32 = u32::from_ne_bytes([POISON; 4]);

/// Compiles a source.
pub type Compile<'a> = &'a (dyn Fn(&str, &Options) -> Result<Compiled, TextErrors> + Sync);

/// The treatments of loops and branches in the programs of a shader.
pub(super) const FLOWS: [Flow; 2] = [Flow::Chosen, Flow::Structured];

/// The amounts that a run compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Shaders that the compiler accepted.
    pub compiled: u64,
    /// Instructions of their programs: as straight as possible, and with all loops and branches kept.
    pub instructions: [u64; 2],
    /// Programs with loops that stay, in the same order.
    pub loops: [u64; 2],
    /// Shaders whose program with everything kept is too large.
    pub kept_too_large: u64,
    /// Values that were compared.
    pub compared: u64,
    /// Values that GLSL leaves open: NaN, infinities, fetches at the edge of an element.
    pub open: u64,
    /// Points at which a branch is near its edge.
    pub doubtful: u64,
    /// Points that `discard` ended.
    pub killed: u64,
    /// Programs of exact rules that are proved equal, for all inputs, to those without the optimizer; and those
    /// that are not.
    pub proved: [u64; 2],
}

impl Tally {
    /// The sum of two.
    pub fn merged(self, other: Tally) -> Tally {
        let both = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1] + b[1]];
        Tally {
            compiled: self.compiled + other.compiled,
            instructions: both(self.instructions, other.instructions),
            loops: both(self.loops, other.loops),
            kept_too_large: self.kept_too_large + other.kept_too_large,
            compared: self.compared + other.compared,
            open: self.open + other.open,
            doubtful: self.doubtful + other.doubtful,
            killed: self.killed + other.killed,
            proved: both(self.proved, other.proved),
        }
    }
}

/// A mistake of a compiled shader.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A value differs.
    Value {
        /// The program.
        flow: Flow,
        /// The column and row of the point.
        point: [u32; 2],
        /// The output and its channel.
        output: (u8, usize),
        /// The evaluator's value.
        expected: Number,
        /// The bits that the program computed.
        found: u32,
        /// Whether they had to be equal.
        precise: bool,
    },
    /// `discard` ends a point in one of them only.
    Killed {
        /// The program.
        flow: Flow,
        /// The column and row of the point.
        point: [u32; 2],
        /// Whether the evaluator ends it.
        expected: bool,
    },
    /// The program differs from the one without the optimizer.
    Optimized {
        /// The program.
        flow: Flow,
        /// The result.
        place: String,
        /// The bits without and with the optimizer; `None` is not written.
        bits: [Option<u32>; 2],
    },
    /// The compiler or the engine fails.
    Fails(String),
}

impl Finding {
    /// Whether two findings are of the same kind.
    pub fn alike(&self, other: &Finding) -> bool {
        match (self, other) {
            (Finding::Fails(a), Finding::Fails(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = |flow: &Flow| match flow {
            Flow::Chosen => "",
            Flow::Flattened => "as straight code: ",
            Flow::Structured => "with loops and branches kept: ",
        };
        let value = |bits: u32| format!("{:?} (0x{bits:08x})", f32::from_bits(bits));
        match self {
            Finding::Value {
                flow,
                point: [i, j],
                output: (slot, channel),
                expected,
                found,
                precise,
            } => {
                let letter = ["r", "g", "b", "a"][channel % 4];
                let program = program(flow);
                write!(
                    f,
                    "{program}at point ({i}, {j}) output {slot}.{letter} is {}, expected {}",
                    value(*found),
                    value(expected.bits)
                )?;
                if *precise {
                    return Ok(());
                }
                write!(f, " within {:e}", expected.error)
            }
            Finding::Killed { flow, point: [i, j], expected } => {
                let program = program(flow);
                let (does, should) =
                    if *expected { ("runs on", "ends") } else { ("ends", "runs on") };
                write!(
                    f,
                    "{program}point ({i}, {j}) {does}, in the evaluator it {should} by discard"
                )
            }
            Finding::Optimized { flow, place, bits } => {
                let program = program(flow);
                let [without, with] =
                    bits.map(|bits| bits.map_or("not written".to_string(), value));
                write!(
                    f,
                    "{program}for an input of the proof {place} is {with}, and {without} without the optimizer"
                )
            }
            Finding::Fails(text) => f.write_str(text),
        }
    }
}

/// The result of a shader's check.
pub enum Checked {
    /// The compiler refuses it.
    Refused(String),
    /// All values are right.
    Right(Tally),
    /// Something is wrong.
    Wrong(Finding),
}

/// The values of a run, by seed: the same names have the same values whatever else the source declares.
pub(super) struct Data<'a> {
    seed: u64,
    /// Whether NaN, infinities and denormals are among them.
    hard: bool,
    interface: &'a Interface,
    uniforms: HashMap<&'a str, Kind>,
    varyings: HashMap<&'a str, Kind>,
    wrap: Wrap,
    texels: Vec<Vec<[u32; 4]>>,
}

fn hash(name: &str) -> u64 {
    name.bytes().fold(7, |hash, byte| ctm_base::random::mix(hash ^ u64::from(byte)))
}

/// A value of a kind.
fn value(random: &mut Random, kind: Kind, hard: bool) -> u32 {
    match kind {
        Kind::Bool => f32::from(random.chance(50)).to_bits(),
        Kind::Int => (random.below(9) as f32 - 3.0).to_bits(),
        Kind::Float if hard && random.chance(15) => random.hard(),
        Kind::Float => match random.below(8) {
            0 => random.pick(&[0.0f32, 1.0, -1.0, 0.5, 2.0, -0.0]).to_bits(),
            1 => (random.below(2001) as f32 - 1000.0).to_bits(),
            2 | 3 => (random.below(1 << 24) as f32 / (1 << 24) as f32).to_bits(),
            _ => (random.below(1 << 24) as f32 / (1 << 21) as f32 - 4.0).to_bits(),
        },
    }
}

impl<'a> Data<'a> {
    /// The values of a seed for an interface.
    pub(super) fn of(seed: u64, hard: bool, interface: &'a Interface) -> Data<'a> {
        let mut random = Random::new(&[seed, 3]);
        let wrap = random.pick(&[Wrap::Clamp, Wrap::Repeat]);
        let texels = |name: &str| {
            let mut random = Random::new(&[seed, 4, hash(name)]);
            let mut texel = || [0; 4].map(|_| value(&mut random, Kind::Float, hard));
            (0..WIDTH * HEIGHT).map(|_| texel()).collect()
        };
        Data {
            seed,
            hard,
            interface,
            uniforms: interface.uniforms.iter().map(|one| (one.name.as_str(), one.kind)).collect(),
            varyings: interface.varyings.iter().map(|one| (one.name.as_str(), one.kind)).collect(),
            wrap,
            texels: interface.samplers.iter().map(|sampler| texels(&sampler.name)).collect(),
        }
    }

    pub(super) fn scalar(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Uniform(n, component) => {
                self.uniform(&self.interface.uniforms[n].name, component)
            }
            Scalar::Size(_, axis) | Scalar::OutputSize(_, axis) => {
                ([WIDTH, HEIGHT][axis as usize] as f32).to_bits()
            }
        }
    }

    fn uniform(&self, name: &str, component: usize) -> u32 {
        let kind = self.uniforms.get(name).copied().unwrap_or(Kind::Float);
        let mut random = Random::new(&[self.seed, 1, hash(name), component as u64]);
        value(&mut random, kind, self.hard)
    }

    pub(super) fn varying(&self, [i, j]: [u32; 2], name: &str, component: usize) -> u32 {
        let kind = self.varyings.get(name).copied().unwrap_or(Kind::Float);
        let place = u64::from(j * WIDTH + i);
        let mut random = Random::new(&[self.seed, 2, hash(name), component as u64, place]);
        value(&mut random, kind, self.hard)
    }
}

/// A point of a run.
pub(super) struct At<'a>(pub &'a Data<'a>, pub [u32; 2]);

impl Environment for At<'_> {
    fn uniform(&self, name: &str, component: usize) -> u32 {
        self.0.uniform(name, component)
    }
    fn varying(&self, name: &str, component: usize) -> u32 {
        self.0.varying(self.1, name, component)
    }
    fn size(&self, _: &str) -> [u32; 2] {
        [WIDTH, HEIGHT]
    }
    fn fetch(&self, sampler: &str, x: i32, y: i32) -> [u32; 4] {
        let Some(n) = self.0.interface.samplers.iter().position(|one| one.name == sampler) else {
            return [0; 4];
        };
        let column = wrap_coordinate(self.0.wrap, x.into(), WIDTH);
        let row = wrap_coordinate(self.0.wrap, y.into(), HEIGHT);
        self.0.texels[n][(row * WIDTH + column) as usize]
    }
}

/// Compiles a shader, as always and with all loops and branches kept, runs it on an engine with values by
/// `seed`, and compares all outputs with the evaluator's. `precise`: exact rules only, and all bits must be
/// equal; otherwise values must be within the evaluator's bounds.
pub fn check(
    source: &str,
    seed: u64,
    precise: bool,
    compile: Compile<'_>,
    engine: &dyn Engine,
) -> Checked {
    let mut programs = Vec::new();
    for flow in FLOWS {
        let options = Options { precise, flow, ..Options::default() };
        match panics::catch(|| compile(source, &options)) {
            Ok(Ok(compiled)) => programs.push((flow, compiled)),
            Ok(Err(errors)) if programs.is_empty() => {
                return Checked::Refused(errors.errors()[0].message.clone());
            }
            Ok(Err(_)) => {}
            Err(panic) => return Checked::Wrong(Finding::Fails(panic.to_string())),
        }
    }
    let compared = panics::catch(|| {
        let unoptimized = if precise { unoptimized(source, compile) } else { None };
        compared(source, seed, precise, programs, unoptimized.as_ref(), engine)
    });
    match compared.unwrap_or_else(|panic| Err(panic.to_string())) {
        Ok(Ok(tally)) => Checked::Right(tally),
        Ok(Err(finding)) => Checked::Wrong(finding),
        Err(text) => Checked::Wrong(Finding::Fails(text)),
    }
}

/// The steps of a proof. The programs of most shaders need fewer.
const STEPS: u32 = 50_000;

/// The program of exact rules without the optimizer, if there is room for it.
fn unoptimized(source: &str, compile: Compile<'_>) -> Option<Program> {
    let options = Options { precise: true, level: Level::Unoptimized, ..Options::default() };
    Program::new(compile(source, &options).ok()?.image).ok()
}

/// Proves a program of exact rules equal to the one without the optimizer. `Ok(false)`: not decided.
pub(super) fn proved(
    flow: Flow,
    unoptimized: &Program,
    program: &Program,
) -> Result<bool, Finding> {
    let programs = [unoptimized, program];
    let Some(setups) = Setup::by_name(programs) else { return Ok(false) };
    let setups = Setup::of_one_shader(setups, programs);
    let options = ctm_prove::Options { set: Set::Bits, steps: STEPS, ..Default::default() };
    match prove(programs, setups.each_ref(), &options, Stop::never()) {
        Answer::Proved => Ok(true),
        Answer::Different { of, at } => {
            Err(Finding::Optimized { flow, place: of.place, bits: at.bits })
        }
        Answer::EqualUpToRounding { .. } | Answer::NotDecided { .. } => Ok(false),
    }
}

/// Runs the programs of a shader and compares. `unoptimized`: the program without the optimizer, to the bit.
fn compared(
    source: &str,
    seed: u64,
    precise: bool,
    programs: Vec<(Flow, Compiled)>,
    unoptimized: Option<&Program>,
    engine: &dyn Engine,
) -> Result<Result<Tally, Finding>, String> {
    // All programs have the same names.
    let interface = programs.first().and_then(|(_, one)| one.image.interface.clone());
    let interface = interface.ok_or("the program has no interface")?;
    let data = Data::of(seed, precise, &interface);
    let evaluator = Evaluator::new(source, "shader").map_err(|error| error.to_string())?;
    let mut expected = Vec::new();
    for point in points() {
        let value = evaluator.run(&At(&data, point));
        expected.push(value.map_err(|error| format!("the evaluator fails: {error}"))?);
    }
    let kept_too_large = u64::from(programs.len() < FLOWS.len());
    let mut tally = Tally { compiled: 1, kept_too_large, ..Tally::default() };
    for (n, (flow, compiled)) in programs.into_iter().enumerate() {
        let interface = compiled.image.interface.clone().ok_or("the program has no interface")?;
        let program =
            Program::new(compiled.image).map_err(|error| format!("not valid: {error}"))?;
        tally.instructions[n] += program.instructions().len() as u64;
        let is_loop = |instruction: &Instruction| match &instruction.body {
            Body::Fc(fc) => matches!(fc.op, FcOp::Rep | FcOp::Loop),
            Body::Alu(_) | Body::Tex(_) => false,
        };
        tally.loops[n] += u64::from(program.instructions().iter().any(is_loop));
        let proof = unoptimized.map_or(Ok(false), |other| proved(flow, other, &program));
        let outputs = data.run(program, &interface, engine)?;
        if let Err(finding) = same(flow, precise, &expected, &outputs, &mut tally) {
            return Ok(Err(finding));
        }
        match proof {
            Ok(proved) => tally.proved[usize::from(!proved)] += 1,
            Err(finding) => return Ok(Err(finding)),
        }
    }
    Ok(Ok(tally))
}

/// The points of a run, in the order of rows.
pub(super) fn points() -> impl Iterator<Item = [u32; 2]> {
    (0..HEIGHT).flat_map(|j| (0..WIDTH).map(move |i| [i, j]))
}

/// An output: its slot, and its values at all points.
pub(super) type Written = (u8, Vec<[u32; 4]>);

impl Data<'_> {
    /// A launch of a program with these values, and its memory.
    pub(super) fn launch(
        &self,
        program: Program,
        interface: &Interface,
    ) -> Result<(Launch, Memory), String> {
        let program = Arc::new(program);
        let mut launch = Launch::alike(program.clone(), WIDTH, HEIGHT).ok_or("no memory")?;
        let mut constants = Constants::with_literals(&program.image().literals);
        for constant in &interface.constants {
            constants.float[constant.addr as usize][constant.channel as usize] =
                self.scalar(constant.scalar);
        }
        launch.constants = Arc::new(constants);
        for varying in &interface.varyings {
            let Some(temp) = varying.temp else { continue };
            let channel =
                |point, n| if n < varying.rows { self.varying(point, &varying.name, n) } else { 0 };
            let all = points().map(|point| [0, 1, 2, 3].map(|n| channel(point, n))).collect();
            launch.initial.push(Initial { temp, data: Arc::new(all) });
        }
        let sizes = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 0 };
        let mut memory = Memory::new(&sizes).map_err(|error| error.to_string())?;
        let base = memory.base(ArenaKind::Gpu);
        memory.write(base, &[POISON; 1 << 16]).map_err(|error| error.to_string())?;
        for surface in launch.inputs.iter_mut().chain(&mut launch.outputs).flatten() {
            surface.base += base;
        }
        for sampler in interface.samplers.iter().filter(|sampler| sampler.used) {
            let Some(surface) = &mut launch.inputs[sampler.input as usize] else { continue };
            surface.wrap = self.wrap;
            let n = interface.samplers.iter().position(|one| one.input == sampler.input);
            let texels = self.texels[n.unwrap_or_default()].concat();
            write_array(&mut memory, surface, WIDTH, HEIGHT, &texels)
                .map_err(|error| error.to_string())?;
        }
        Ok((launch, memory))
    }

    /// Runs a program with these values.
    fn run(
        &self,
        program: Program,
        interface: &Interface,
        engine: &dyn Engine,
    ) -> Result<Vec<Written>, String> {
        let (launch, mut memory) = self.launch(program, interface)?;
        let outcome = engine.run(&launch, &mut memory, &NoProgress);
        let outcome = outcome.map_err(|error| format!("the engine fails: {error}"))?;
        if !outcome.faults.is_empty() {
            return Err(format!("the program faults: {:?}", outcome.faults));
        }
        let mut outputs = Vec::new();
        for output in &interface.outputs {
            let surface =
                launch.outputs[output.slot as usize].ok_or("an output without a surface")?;
            let value = |[i, j]: [u32; 2]| load(&memory, &surface, i, j).channels;
            outputs.push((output.slot, points().map(value).collect()));
        }
        Ok(outputs)
    }
}

/// Compares the outputs of a program with the evaluator's, and counts the comparisons.
pub(super) fn same(
    flow: Flow,
    precise: bool,
    expected: &[Point],
    outputs: &[Written],
    tally: &mut Tally,
) -> Result<(), Finding> {
    for (n, (point, expected)) in points().zip(expected).enumerate() {
        if expected.doubtful && !precise {
            tally.doubtful += 1;
            continue;
        }
        tally.killed += u64::from(expected.killed);
        for (slot, values) in outputs {
            let found = values[n];
            let killed = found == [UNWRITTEN; 4];
            if killed != expected.killed {
                return Err(Finding::Killed { flow, point, expected: expected.killed });
            }
            if killed {
                continue;
            }
            let values = expected.outputs.iter().find(|(other, _)| other == slot);
            let Some((_, values)) = values else {
                let text = format!("the evaluator has no output {slot}");
                return Err(Finding::Fails(text));
            };
            for (channel, (expected, found)) in values.iter().zip(found).enumerate() {
                let right = if precise {
                    expected.bits == found || float::is_nan(expected.bits) && float::is_nan(found)
                } else if expected.error.is_finite() {
                    let [a, b] = [expected.bits, found].map(|bits| f64::from(f32::from_bits(bits)));
                    (a - b).abs() <= 2.0 * expected.error + 1e-36
                } else {
                    tally.open += 1;
                    continue;
                };
                tally.compared += 1;
                if !right {
                    let (output, expected) = ((*slot, channel), *expected);
                    return Err(Finding::Value { flow, point, output, expected, found, precise });
                }
            }
        }
    }
    Ok(())
}
