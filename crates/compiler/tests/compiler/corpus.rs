//! Shaders with inputs and results: each is compiled and runs; its results, its length and its clocks are compared with
//! those of what Mesa made of it. `cargo bench --bench compiler` uses the module, too.

use ctm_compiler::{Language, Options, compile};
use ctm_jobs::job::{Job, JobResult, RunOptions};
use ctm_lang::elf;
use ctm_lang::program::interface::{Interface, Scalar};
use ctm_lang::program::{Image, Program};
use ctm_machine::device::Clocks;
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toml::{Table, Value};

/// The outcome of a shader.
pub enum Outcome {
    Refused(String),
    Wrong(String),
    Right,
}

/// Instructions, and clocks of the slowest units in parts (`Clocks::slowest`) for all points of the job.
#[derive(Clone, Copy)]
pub struct Cost {
    pub instructions: usize,
    pub clocks: u64,
}

/// A shader's row.
pub struct Row {
    pub name: String,
    pub outcome: Outcome,
    pub ours: Cost,
    /// Of Mesa's program, if there is one.
    pub mesa: Option<Cost>,
    /// The shortest time to compile it.
    pub seconds: f64,
}

impl Row {
    /// The program's cost as a ratio of Mesa's, if it is right.
    pub fn ratio(&self, cost: impl Fn(&Cost) -> f64) -> Option<f64> {
        matches!(self.outcome, Outcome::Right).then_some(())?;
        Some(cost(&self.ours) / cost(&self.mesa?))
    }
}

/// The geometric mean, and the number, of what the programs cost of Mesa's.
pub fn mean(rows: &[Row], cost: impl Fn(&Cost) -> f64) -> (f64, usize) {
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio(&cost)).collect();
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    ((sum / ratios.len().max(1) as f64).exp(), ratios.len())
}

/// [`mean`] of the instructions and of the clocks.
pub fn means(rows: &[Row]) -> [(f64, usize); 2] {
    [mean(rows, |cost| cost.instructions as f64), mean(rows, |cost| cost.clocks as f64)]
}

/// The jobs in a folder that have a source.
pub fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut folders: Vec<PathBuf> = entries.unwrap_or_default();
    folders.retain(|folder| folder.join("source.frag").exists());
    // Their data are in Mesa's own forms: positions before the viewport, faces with signs.
    folders.retain(|folder| {
        !["io_fragcoord", "io_face_front", "io_face_back"].iter().any(|name| folder.ends_with(name))
    });
    folders.sort();
    folders
}

/// The temporary of a varying, by the name that files use.
fn temp(interface: &Interface, file: &str) -> Option<u8> {
    let stem = file.trim_end_matches(".npy");
    let name = match stem {
        "COL0" => "gl_Color".to_string(),
        "COL1" => "gl_SecondaryColor".to_string(),
        _ => format!("gl_TexCoord[{}]", stem.trim_start_matches('V')),
    };
    interface.varyings.iter().find(|varying| varying.name == name)?.temp
}

fn entries(table: &Table, key: &str) -> Vec<Table> {
    let array = table.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    array.into_iter().filter_map(|entry| entry.try_into().ok()).collect()
}

/// The job of a compiled shader, from that of Mesa's program.
fn job_of(mut table: Table, interface: &Interface, program: &Path) -> Table {
    table.insert(
        "program".into(),
        Value::Table(
            [("file".to_string(), program.to_string_lossy().into_owned().into())]
                .into_iter()
                .collect(),
        ),
    );
    let initial: Vec<Value> = entries(&table, "initial")
        .into_iter()
        .filter_map(|mut entry| {
            let temp = temp(interface, entry["file"].as_str()?)?;
            entry.insert("temp".into(), i64::from(temp).into());
            Some(Value::Table(entry))
        })
        .collect();
    table.insert("initial".into(), Value::Array(initial));
    let input: Vec<Value> = entries(&table, "input")
        .into_iter()
        .filter_map(|mut entry| {
            let name = entry["file"]
                .as_str()?
                .trim_start_matches("tex_")
                .trim_end_matches(".npy")
                .to_string();
            let sampler =
                interface.samplers.iter().find(|sampler| sampler.name == name && sampler.used)?;
            entry.insert("slot".into(), i64::from(sampler.input).into());
            Some(Value::Table(entry))
        })
        .collect();
    table.insert("input".into(), Value::Array(input));
    table.remove("constants");
    table
}

fn values(table: &Table, interface: &Interface, all: bool) -> Vec<(u8, u8, f32)> {
    let given = table.get("constants").and_then(|constants| constants.get("float"));
    // Mesa numbers the uniforms in use in the order of their declarations; which it finds in use is not always the same.
    let used: Vec<usize> =
        (0..interface.uniforms.len()).filter(|n| all || interface.uniforms[*n].used).collect();
    let value = |scalar: Scalar| match scalar {
        Scalar::Uniform(n, component) => {
            let register = used.iter().position(|used| *used == n)?;
            given?.get(register.to_string())?.get(component)?.as_float()
        }
        Scalar::Size(..) | Scalar::OutputSize(..) => Some(16.0),
    };
    let constants = interface.constants.iter();
    constants.map(|one| (one.addr, one.channel, value(one.scalar).unwrap_or(0.0) as f32)).collect()
}

/// The clocks of a job, in parts.
fn clocks(job: &Job) -> Result<(JobResult, u64), String> {
    let options = RunOptions { statistics: true, ..RunOptions::default() };
    let result = job.run(&Block::default(), &options, &Stop::default());
    let result = result.map_err(|error| error.to_string())?;
    let clocks = result.statistics.map_or(0, |statistics| Clocks::of(&statistics).slowest());
    Ok((result, clocks))
}

/// The cost of Mesa's program.
fn mesa(folder: &Path) -> Option<Cost> {
    let name = ["m25", "default"]
        .into_iter()
        .find(|name| folder.join(name).with_extension("hex").exists())?;
    let listing =
        std::fs::read_to_string(folder.join(name).with_extension("hex")).expect("a listing");
    let instructions = listing.lines().filter(|line| line.split_whitespace().count() >= 6).count();
    let job = Job::read(&folder.join(name).with_extension("toml")).expect("a job");
    Some(Cost { instructions, clocks: clocks(&job).expect("a result").1 })
}

/// The job of Mesa's program, for the compiled one; results may be as far away as float32 makes them.
fn job(folder: &Path, image: &Image, temporary: &Path) -> Result<Vec<Job>, String> {
    let interface = image.interface.clone().ok_or("no interface")?;
    let program = temporary.join("program.elf");
    std::fs::write(&program, elf::write(image)).map_err(|error| error.to_string())?;
    let base = ["m25.toml", "default.toml", "m25_noopt.toml", "noopt.toml", "tgsi.toml"];
    let base = base.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let table =
        std::fs::read_to_string(base.ok_or("no job")?).map_err(|error| error.to_string())?;
    let table: Table = table.parse().map_err(|error| format!("{error}"))?;
    let constants = [false, true].map(|all| values(&table, &interface, all));
    let mut table = job_of(table, &interface, &program);
    let mut list = entries(&table, "expect");
    for entry in &mut list {
        for (key, least) in [("rtol", 3e-4), ("atol", 3e-5)] {
            let given = entry
                .get(key)
                .and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64)));
            entry.insert(key.into(), given.unwrap_or(0.0).max(least).into());
        }
    }
    table.insert("expect".into(), Value::Array(list.into_iter().map(Value::Table).collect()));
    let job = Job::parse(&table.to_string(), &folder.join("compiled.toml"));
    let job = job.map_err(|error| error.to_string())?;
    let jobs = constants.into_iter().map(|constants| {
        let mut job = job.clone();
        for pass in &mut job.passes {
            let held = std::sync::Arc::make_mut(&mut pass.constants);
            for (addr, channel, value) in constants.iter() {
                held.float[*addr as usize][*channel as usize] = value.to_bits();
            }
        }
        job
    });
    Ok(jobs.collect())
}

/// Runs a compiled shader. Returns its clocks.
fn check(folder: &Path, image: &Image, temporary: &Path) -> Result<u64, String> {
    Program::new(image.clone()).map_err(|error| format!("not valid: {error}"))?;
    let mut failed = Err("no job".to_string());
    for job in job(folder, image, temporary)? {
        let (result, clocks) = clocks(&job)?;
        let checks = job.check(&result).map_err(|error| error.to_string())?;
        let texts: Vec<String> =
            checks.iter().filter(|check| !check.passed).map(|check| check.text.clone()).collect();
        if texts.is_empty() {
            return Ok(clocks);
        }
        failed = Err(texts.join("; "));
    }
    failed
}

/// Compiles a shader a few times and runs it.
pub fn run(folder: &Path, temporary: &Path, options: &Options, times: usize) -> Row {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = std::fs::read_to_string(folder.join("source.frag")).expect("a source");
    let mut seconds = f64::INFINITY;
    let mut compiled = None;
    for _ in 0..times {
        let start = Instant::now();
        compiled = Some(compile(&source, "source.frag", Language::Glsl, options));
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let mut ours = Cost { instructions: 0, clocks: 0 };
    let outcome = match compiled.expect("at least one time") {
        Err(error) => Outcome::Refused(error.to_string()),
        Ok(compiled) => {
            ours.instructions = compiled.image.words.len();
            match check(folder, &compiled.image, temporary) {
                Ok(clocks) => {
                    ours.clocks = clocks;
                    Outcome::Right
                }
                Err(why) => Outcome::Wrong(why),
            }
        }
    };
    Row { name, outcome, ours, mesa: mesa(folder), seconds }
}
