//! A program's machine code, run on the reference engine: the last of its passes.

use super::interpret::{BisectError, Scene, Texture, Values};
use super::listing::{Atom, Component, File, Line, Statement, Value};
use super::log::Logged;
use super::number::Number;
use crate::tracing::Tracing;
use ctm_isa::isa::{Body, Instruction, SourceKind};
use ctm_jobs::job::sample::Sample;
use ctm_jobs::job::{Content, Job, JobResult, RunOptions};
use ctm_lang::program::{Image, Program};
use ctm_machine::engine::reference::{Reference, TraceEvent, TraceStep};
use ctm_machine::engine::{Engine, Stop, Stopped};
use ctm_machine::launch::{Constants, Domain, Initial};
use ctm_machine::memory::Wrap;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A pattern that no program computes: outputs begin with it, so that points that write none are seen.
const UNTOUCHED: u32 = 0x7fab_cdef;

/// The data that a scene has.
#[derive(Clone, Copy, Debug)]
pub enum Datum {
    /// An input.
    Input(u16),
    /// A texture, by its unit.
    Texture(u16),
}

/// Verified machine code.
#[derive(Clone, Debug)]
pub struct Machine {
    pub program: Arc<Program>,
    /// The temporary in which each input arrives.
    pub arrives: BTreeMap<u16, u8>,
}

impl Machine {
    /// The machine code of a program.
    ///
    /// # Errors
    /// If it is not valid, as text.
    pub fn new(logged: &Logged, words: &[[u32; 6]]) -> Result<Machine, String> {
        let mut image = Image::from_words(words.to_vec());
        // Mesa's driver runs every program with ZERO_TIMES_ANYTHING_EQUALS_ZERO.
        image.registers.us_config = 2;
        let program = Program::new(image).map_err(|errors| errors.to_string())?;
        let arrives = arrivals(logged, program.instructions());
        Ok(Machine { program: Arc::new(program), arrives })
    }

    /// The texture units that it fetches from, bit n for unit n.
    pub fn units(&self) -> u16 {
        self.program.uses().inputs
    }

    /// The job that runs the code on a scene.
    fn job(&self, scene: &Scene, constants: &Constants) -> Job {
        let (width, height) = (scene.width as u32, scene.height as u32);
        let sample = Sample { seed: 0, width, height, range: 0.0..1.0 };
        let mut job =
            Job::of_program(Arc::clone(&self.program), Path::new("machine code"), &sample, &[]);
        let (i0, j0) = scene.first;
        for buffer in &mut job.buffers {
            buffer.content = Content::Fill([UNTOUCHED; 4]);
            (buffer.width, buffer.height) = (width + i0, height + j0);
        }
        let pass = &mut job.passes[0];
        pass.domain = Domain { i0, j0, i1: i0 + width - 1, j1: j0 + height - 1 };
        let ints = pass.constants.int;
        pass.constants = Arc::new(Constants { int: ints, ..constants.clone() });
        pass.initial = self
            .arrives
            .iter()
            .filter_map(|(input, &temp)| {
                Some(Initial { temp, data: Arc::clone(scene.inputs.get(input)?) })
            })
            .collect();
        for &(slot, buffer) in &pass.inputs {
            let buffer = &mut job.buffers[buffer];
            if let Some(Some(texture)) = scene.textures.get(slot as usize) {
                (buffer.width, buffer.height) = (texture.width, texture.height);
                buffer.wrap = texture.wrap;
                buffer.content = Content::Array(Arc::new(texture.texels.concat()));
            }
        }
        for buffer in &mut job.buffers {
            buffer.pitch = buffer.surface(0).default_pitch(buffer.width);
        }
        job
    }

    /// The writes of a point's instructions: their number, their text and their registers.
    ///
    /// # Errors
    /// If it was stopped or cannot run.
    pub fn steps(
        &self,
        scene: &Scene,
        constants: &Constants,
        limit: u64,
        stop: &Stop,
        point: (u32, u32),
    ) -> Result<Vec<TraceStep>, BisectError> {
        let (job, steps) = (self.job(scene, constants), Mutex::new(Vec::new()));
        let keep = |_, event| {
            if let TraceEvent::Step(step) = event {
                steps.lock().push(*step);
            }
        };
        run(&job, &Tracing::new(&job, point, keep), limit, stop)?;
        Ok(steps.into_inner())
    }

    /// Runs the code: at most `limit` instructions of each group. It does not tell what it rounded.
    ///
    /// # Errors
    /// If it was stopped, cannot run, or its loops do not end.
    pub fn run(
        &self,
        scene: &Scene,
        constants: &Constants,
        limit: u64,
        stop: &Stop,
    ) -> Result<Values, BisectError> {
        let (job, (i0, j0)) = (self.job(scene, constants), scene.first);
        let result = run(&job, &Reference::new(), limit, stop)?;
        if let Some(fault) = result.job_faults(&job).first() {
            return Err(BisectError::Reason(fault.text()));
        }
        let mut values =
            Values { killed: vec![true; scene.points()], ..Values::of(scene.points()) };
        for &(slot, buffer) in &job.passes[0].outputs {
            let raster = result.raster(buffer);
            let raster = raster.map_err(|error| BisectError::Reason(error.to_string()))?;
            let texel = |point: usize| {
                let (i, j) = (point % scene.width + i0 as usize, point / scene.width + j0 as usize);
                let at = (j * raster.width as usize + i) * 4;
                [0, 1, 2, 3].map(|channel| raster.units[at + channel])
            };
            let cell = |bits| (bits != UNTOUCHED).then_some(Number::rounded(bits));
            let cells: Vec<_> = (0..scene.points()).map(|point| texel(point).map(cell)).collect();
            for (killed, cells) in values.killed.iter_mut().zip(&cells) {
                *killed &= cells.iter().all(Option::is_none);
            }
            values.outputs.insert((File::Color, slot as u16), cells);
        }
        Ok(values)
    }
}

/// Runs a job of the code.
fn run(job: &Job, engine: &dyn Engine, limit: u64, stop: &Stop) -> Result<JobResult, BisectError> {
    let options = RunOptions { instructions: Some(limit), ..RunOptions::default() };
    job.run(engine, &options, stop).map_err(|error| match error.stopped() {
        Some(why) => BisectError::Stopped(why),
        None => BisectError::Reason(error.to_string()),
    })
}

/// The temporary in which each input arrives. The last listing and the code have the same instructions,
/// so their sources tell. What they do not tell is decided by the order in which the driver gives out
/// temporaries: colours, face, texture coordinates, fog, position.
fn arrivals(logged: &Logged, code: &[Instruction]) -> BTreeMap<u16, u8> {
    let mut votes: BTreeMap<u16, BTreeMap<u8, usize>> = BTreeMap::new();
    let last = logged.passes.iter().rev().find_map(|pass| pass.listing.as_ref().ok());
    let lines: Vec<&Line> =
        last.into_iter().flatten().filter(|line| line.statement != Statement::Nothing).collect();
    if lines.len() == code.len() {
        for (line, instruction) in lines.iter().zip(code) {
            for (input, temp) in sources(line, instruction) {
                *votes.entry(input).or_default().entry(temp).or_default() += 1;
            }
        }
    }
    let most = |temps: &BTreeMap<u8, usize>| {
        temps.iter().max_by_key(|&(temp, count)| (*count, u8::MAX - temp)).map(|(temp, _)| *temp)
    };
    let mut found: BTreeMap<u16, u8> =
        votes.iter().filter_map(|(&input, temps)| Some((input, most(temps)?))).collect();
    let mut declared = logged.inputs.clone();
    declared.sort_by_key(|&(_, semantic)| semantic);
    for (temp, (input, _)) in (0..128).zip(declared) {
        if !found.contains_key(&input) && !found.values().any(|&other| other == temp) {
            found.insert(input, temp);
        }
    }
    found
}

/// The inputs that a line reads, and the temporaries that its instruction reads for them.
fn sources(line: &Line, instruction: &Instruction) -> Vec<(u16, u8)> {
    let input = |atom: Option<Atom>| match atom {
        Some(Atom::Component(Component { file: File::Input, index, .. })) => Some(index),
        _ => None,
    };
    let mut found = Vec::new();
    match &instruction.body {
        Body::Alu(alu) => {
            for (slots, unit) in line.sources.iter().zip(&alu.units) {
                for (atom, source) in slots.iter().zip(unit.sources) {
                    if let (Some(index), SourceKind::Temp(temp)) = (input(*atom), source.kind()) {
                        found.push((index, temp));
                    }
                }
            }
        }
        Body::Tex(tex) => {
            let lanes = line.statement.operands().next();
            let index = lanes.into_iter().flatten().find_map(|lane| match lane.value {
                Value::Atom(atom) => input(Some(atom)),
                Value::Presub(..) => None,
            });
            found.extend(index.map(|index| (index, tex.src.addr)));
        }
        Body::Fc(_) => {}
    }
    found
}

/// The scene of a job: its domain, its textures of these units, and the data of its temporaries, which
/// become inputs.
///
/// # Errors
/// If the job has no pass, runs another program, or its buffers cannot be read; or it was stopped.
pub fn scene(job: &Job, machine: &Machine, units: u16, stop: &Stop) -> Result<Scene, BisectError> {
    let pass = job.passes.first().ok_or("the job has no pass".to_string())?;
    let (ours, theirs) = (&machine.program.image().words, &pass.program.image().words);
    if ours != theirs {
        let file = pass.program_file.display();
        let same = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
        return Err(BisectError::Reason(format!(
            "{}: it runs another program: instruction {same} of {file} is not that of the log",
            job.file.display()
        )));
    }
    let (memory, surfaces) = job.upload().map_err(|error| error.to_string())?;
    let domain = pass.domain;
    let inputs = machine.arrives.iter().filter_map(|(&input, &temp)| {
        let data = pass.initial.iter().find(|initial| initial.temp == temp)?;
        Some((input, Arc::clone(&data.data)))
    });
    let mut textures = vec![None; 16];
    for &(slot, buffer) in pass.inputs.iter().filter(|(slot, _)| units >> slot & 1 != 0) {
        stop.check()?;
        let (surface, buffer) = (&surfaces[buffer], &job.buffers[buffer]);
        let texel = |n: u32| {
            let (x, y) = (n % buffer.width, n / buffer.width);
            ctm_machine::memory::load(&memory, surface, x, y).channels
        };
        let texels = (0..buffer.width * buffer.height).map(texel).collect();
        textures[slot as usize] = Some(Texture {
            width: buffer.width,
            height: buffer.height,
            wrap: buffer.wrap,
            texels: Arc::new(texels),
        });
    }
    Ok(Scene {
        first: (domain.i0, domain.j0),
        width: domain.width() as usize,
        height: domain.height() as usize,
        inputs: inputs.collect(),
        textures,
    })
}

/// A scene of `width` x `height` points with the textures of these units. Every declared input, and every one
/// that a listing names, has data. `data` makes it, row by row: of an input, or of a texture.
///
/// # Errors
/// It was stopped.
pub fn sampled(
    logged: &Logged,
    (width, height): (u32, u32),
    units: u16,
    data: &dyn Fn(Datum) -> Vec<[u32; 4]>,
    stop: &Stop,
) -> Result<Scene, Stopped> {
    let mut names: Vec<u16> = logged.inputs.iter().map(|&(input, _)| input).collect();
    for line in logged.passes.iter().filter_map(|pass| pass.listing.as_ref().ok()).flatten() {
        let components = line.statement.operands().flatten().flat_map(|lane| lane.components());
        names.extend(components.filter(|c| c.file == File::Input).map(|c| c.index));
    }
    let mut inputs = BTreeMap::new();
    for n in names {
        stop.check()?;
        inputs.entry(n).or_insert_with(|| Arc::new(data(Datum::Input(n))));
    }
    let mut textures = vec![None; 16];
    for n in (0..16).filter(|n| units >> n & 1 != 0) {
        stop.check()?;
        let texels = Arc::new(data(Datum::Texture(n)));
        textures[usize::from(n)] = Some(Texture { width, height, wrap: Wrap::Repeat, texels });
    }
    Ok(Scene { first: (0, 0), width: width as usize, height: height as usize, inputs, textures })
}
