//! Programs of the test vectors, and their runs on the reference engine.

use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_isa::isa::{Body, Instruction, TexOp, channels};
use ctm_lang::program::{Program, Registers};
use ctm_lang::raw;
use ctm_machine::engine::Engine;
use ctm_machine::engine::reference::Reference;
use ctm_machine::launch::{Constants, Initial, IntConstant, Launch};
use ctm_machine::memory::{ArenaKind, ArenaSizes, Memory, Surface};
use ctm_prove::evaluate::{Inputs, POINTS, Values};
use ctm_prove::term::{Input, Terms};
use ctm_prove::{Float, Results, Setup, Start};
use ctm_testing::files::{collection, root};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program with the constants and inputs of its job.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub program: Arc<Program>,
    pub setup: Setup,
}

/// The folders of jobs in the repository.
pub fn folders() -> Vec<PathBuf> {
    inside(&root().join("tests/vectors"))
}

/// Those of the larger collection, if there is one.
pub fn many_folders() -> Vec<PathBuf> {
    collection().map_or_else(folders, |vectors| inside(&vectors))
}

fn inside(vectors: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(vectors.join("jobs")).expect("a folder");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.sort();
    all
}

/// The cases of two variants, of all folders that have both.
pub fn pairs(folders: Vec<PathBuf>, a: &str, b: &str) -> Vec<[Case; 2]> {
    let mut all = Vec::new();
    for folder in folders {
        let files = [a, b].map(|name| folder.join(format!("{name}.toml")));
        if files.iter().all(|file| file.is_file()) {
            all.push(files.map(|file| read(&file)));
        }
    }
    all
}

/// The case with one bit of an instruction changed, if that is a valid program. `of`: which instructions.
pub fn mutant(case: &Case, random: &mut Random, of: fn(&Instruction) -> bool) -> Option<Case> {
    let instructions = case.program.instructions().iter().enumerate();
    let places: Vec<usize> = instructions.filter(|(_, one)| of(one)).map(|(n, _)| n).collect();
    let n = *places.get(random.below(places.len().max(1) as u32) as usize)?;
    let (word, bit) = (random.below(6) as usize, random.below(32));
    let mut image = case.program.image().clone();
    image.words[n][word] ^= 1 << bit;
    let program = Program::new(image).ok()?;
    let name = format!("{} with bit {bit} of word {word} of {n}", case.name);
    Some(Case { name, program: Arc::new(program), ..case.clone() })
}

/// A number for a name.
fn number(name: &str) -> u32 {
    name.bytes().fold(17, |hash: u32, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
}

fn bits(value: &toml::Value) -> u32 {
    let number = value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
    (number.expect("a number") as f32).to_bits()
}

/// The case of a job file.
pub fn read(file: &Path) -> Case {
    let text = std::fs::read_to_string(file).expect("a job");
    let job: toml::Table = text.parse().expect("TOML");
    let program = &job["program"];
    let hex = file.with_file_name(program["file"].as_str().expect("a file"));
    let mut image = raw::hex(&std::fs::read_to_string(hex).expect("a program")).expect("words");
    if let Some(registers) = program.get("registers") {
        for (name, word) in Registers::NAMES.iter().zip(image.registers.words_mut()) {
            if let Some(value) = registers.get(name) {
                *word = value.as_integer().expect("a word") as u32;
            }
        }
    }
    let mut setup = Setup {
        floats: vec![[Float::Bits(0); 4]; 256],
        ints: [Some((0, 0, 0)); 32],
        bools: [Some(false); 32],
        ..Setup::default()
    };
    let constants = |kind: &str| {
        let of_kind = job.get("constants").and_then(|constants| constants.get(kind));
        of_kind.and_then(toml::Value::as_table).cloned().unwrap_or_default()
    };
    for (n, value) in constants("float") {
        let value = value.as_array().expect("four numbers");
        let value = std::array::from_fn(|channel| bits(&value[channel]));
        setup.floats[n.parse::<usize>().expect("a number")] = value.map(Float::Bits);
    }
    for (n, value) in constants("int") {
        let part = |k: usize| value[k].as_integer().expect("a number");
        let constant = (part(0) as u8, part(1) as u8, part(2) as i8);
        setup.ints[n.parse::<usize>().expect("a number")] = Some(constant);
    }
    let list =
        |key: &str| job.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
    for initial in list("initial") {
        let temp = initial["temp"].as_integer().expect("a temporary") as u8;
        let mut data = initial.as_table().expect("a table").clone();
        data.remove("temp");
        setup.start.push((temp, Start::Data(number(&data.to_string()))));
    }
    for input in list("input") {
        let slot = input["slot"].as_integer().expect("a slot") as usize;
        setup.surfaces[slot] = number(input["file"].as_str().unwrap_or_default());
    }
    let name = format!(
        "{}/{}",
        file.parent().and_then(Path::file_name).unwrap_or_default().display(),
        file.file_stem().unwrap_or_default().display()
    );
    Case { name, program: Arc::new(Program::new(image).expect("a valid program")), setup }
}

/// Columns and rows of points, and of surfaces.
pub const SIZE: u32 = 8;

/// The bits that outputs hold before a run.
pub const POISON: u32 = 0xdead_beef;

/// Random data: ordinary numbers, or all bit patterns.
pub struct Data {
    pub seed: u64,
    pub hard: bool,
}

impl Data {
    fn bits(&self, key: [u64; 3]) -> u32 {
        let mut random = Random::new(&[self.seed, key[0], key[1], key[2]]);
        if self.hard {
            return random.hard();
        }
        (random.range(0, 4000) as f32 / 1000.0 - if random.chance(50) { 2.0 } else { 0.0 })
            .to_bits()
    }
    /// The start value of a point.
    fn start(&self, data: u32, (i, j): (u32, u32), channel: usize) -> u32 {
        self.bits([u64::from(data), u64::from(i) << 32 | u64::from(j), channel as u64])
    }
    fn texel(&self, surface: u32, (x, y): (u32, u32)) -> [u32; 4] {
        let key = 1 << 40 | u64::from(surface);
        std::array::from_fn(|c| self.bits([key, u64::from(x) << 32 | u64::from(y), c as u64]))
    }
}

/// The column and row of a point of [`Values`].
pub fn place(point: usize) -> (u32, u32) {
    let (quad, n) = ((point / POINTS) as u32, (point % POINTS) as u32);
    let across = SIZE / 2;
    (quad % across * 2 + (n & 1), quad / across * 2 + (n >> 1))
}

impl Inputs for Data {
    fn input(&self, input: Input, point: usize) -> u32 {
        let (i, j) = place(point);
        match input {
            Input::Data(n, channel) => self.start(n, (i, j), channel.into()),
            Input::Constant(..) | Input::Uniform(..) | Input::Unknown(_) => 0,
            Input::Point(0) => (i as f32).to_bits(),
            Input::Point(_) => (j as f32).to_bits(),
        }
    }
    fn texel(&self, surface: u32, unscaled: bool, at: [u32; 2], _: usize) -> [u32; 4] {
        use ctm_isa::float;
        let [x, y] = at.map(|bits| {
            let bits = float::ftz(bits);
            let size = (SIZE as f32).to_bits();
            let scaled = if unscaled { bits } else { float::mul(bits, size, false) };
            float::texel_index(scaled).clamp(0, SIZE as i32 - 1) as u32
        });
        self.texel(surface, (x, y))
    }
}

/// The outputs of a run: by output, row, column and channel.
pub type Outputs = Vec<Vec<[u32; 4]>>;

/// Runs a case on the reference engine. `None`: it faults.
pub fn run(case: &Case, data: &Data) -> Option<Outputs> {
    let mut launch = Launch::alike(case.program.clone(), SIZE, SIZE).expect("small surfaces");
    let mut constants = Constants::default();
    for (to, from) in constants.float.iter_mut().zip(&case.setup.floats) {
        *to = from.map(|channel| match channel {
            Float::Bits(bits) => bits,
            Float::Constant(..) | Float::Uniform(..) => 0,
        });
    }
    for (to, from) in constants.int.iter_mut().zip(&case.setup.ints) {
        let (count, start, step) = from.unwrap_or_default();
        *to = IntConstant { count, start, step };
    }
    for (n, bool) in case.setup.bools.iter().enumerate() {
        constants.bool |= u32::from(bool.unwrap_or_default()) << n;
    }
    launch.constants = Arc::new(constants);
    launch.limits.instructions = 1 << 16;
    let points = || (0..SIZE).flat_map(|j| (0..SIZE).map(move |i| (i, j)));
    for &(temp, start) in &case.setup.start {
        let value = |point| match start {
            Start::Data(n) => std::array::from_fn(|c| data.start(n, point, c)),
            Start::Bits(bits) => bits,
        };
        launch.initial.push(Initial { temp, data: Arc::new(points().map(value).collect()) });
    }
    let surfaces: Vec<Surface> =
        launch.inputs.iter().chain(&launch.outputs).flatten().copied().collect();
    let end = |s: &Surface| u64::from(s.base) + s.byte_size(s.pitch, s.height);
    let gpu = surfaces.iter().map(end).max().unwrap_or(0).next_multiple_of(4096);
    let sizes = ArenaSizes { gpu, gpub: 0, sys: 0, sysc: 0 };
    let mut memory = Memory::new(&sizes).expect("memory");
    let base = memory.base(ArenaKind::Gpu);
    for surface in launch.inputs.iter_mut().chain(&mut launch.outputs).flatten() {
        surface.base += base;
    }
    let mut write = |surface: &Surface, (x, y): (u32, u32), value: [u32; 4]| {
        for (n, word) in value.into_iter().enumerate() {
            assert!(memory.write_u32(surface.address(x, y) + 4 * n as u32, word));
        }
    };
    for (n, surface) in launch.inputs.iter().enumerate() {
        let Some(surface) = surface else { continue };
        points().for_each(|p| write(surface, p, data.texel(case.setup.surfaces[n], p)));
    }
    for surface in launch.outputs.iter().flatten() {
        points().for_each(|p| write(surface, p, [POISON; 4]));
    }
    let outcome = Reference::new().run(&launch, &mut memory, Stop::never()).expect("a launch");
    if !outcome.faults.is_empty() {
        return None;
    }
    let read = |surface: &Surface, (x, y): (u32, u32)| {
        std::array::from_fn(|n| {
            memory.read_u32(surface.address(x, y) + 4 * n as u32).expect("inside memory")
        })
    };
    let output = |surface: &Option<Surface>| match surface {
        Some(surface) => points().map(|p| read(surface, p)).collect(),
        None => vec![[POISON; 4]; (SIZE * SIZE) as usize],
    };
    Some(launch.outputs.iter().map(output).collect())
}

/// The values of the outputs' terms, and which of them are odd.
pub fn evaluate(terms: &Terms, results: &Results, data: &Data) -> (Outputs, Vec<Vec<[bool; 4]>>) {
    let points = (SIZE * SIZE) as usize;
    let mut values = Values::new(terms, data, points / POINTS);
    let mut outputs = vec![vec![[POISON; 4]; points]; 4];
    let mut odd = vec![vec![[false; 4]; points]; 4];
    for (n, output) in results.outputs.iter().enumerate() {
        for channel in channels(15) {
            for (point, value) in values.of(output[channel]).iter().enumerate() {
                let (i, j) = place(point);
                let at = (j * SIZE + i) as usize;
                outputs[n][at][channel] = value.bits.unwrap_or(POISON);
                odd[n][at][channel] = value.odd;
            }
        }
    }
    (outputs, odd)
}

/// Whether it kills points. The sign of a zero decides that, and `values` does not say which sign it has.
pub fn has_kills(case: &Case) -> bool {
    case.program.instructions().iter().any(|instruction| match &instruction.body {
        Body::Tex(tex) => tex.op == TexOp::Texkill,
        Body::Alu(_) | Body::Fc(_) => false,
    })
}
