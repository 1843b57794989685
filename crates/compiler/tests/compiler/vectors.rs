//! Shaders with inputs and results: each is compiled, runs, and gives what is expected; its length is compared with what
//! Mesa made of it.

use ctm_compiler::{Flow, Language, Options, compile};
use ctm_jobs::job::{Job, RunOptions};
use ctm_lang::elf;
use ctm_lang::program::Program;
use ctm_lang::program::interface::{Interface, Scalar};
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toml::{Table, Value};

/// What became of a shader.
enum Outcome {
    Refused(String),
    Wrong(String),
    Right,
}

/// A shader's row.
struct Row {
    name: String,
    outcome: Outcome,
    instructions: usize,
    mesa: Option<usize>,
    seconds: f64,
}

/// The jobs in a folder that have a source.
fn folders(root: &Path) -> Vec<PathBuf> {
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
        Scalar::Size(..) => Some(16.0),
    };
    let constants = interface.constants.iter();
    constants.map(|one| (one.addr, one.channel, value(one.scalar).unwrap_or(0.0) as f32)).collect()
}

fn run(folder: &Path, temporary: &Path, flow: Flow) -> Row {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = std::fs::read_to_string(folder.join("source.frag")).expect("a source");
    let start = Instant::now();
    let compiled =
        compile(&source, "source.frag", Language::Glsl, &Options { flow, ..Options::default() });
    let seconds = start.elapsed().as_secs_f64();
    let base = ["m25.toml", "default.toml", "m25_noopt.toml", "noopt.toml", "tgsi.toml"];
    let found = base.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        Some(text.lines().filter(|line| line.split_whitespace().count() >= 6).count())
    };
    let mesa = lines("m25.hex").or_else(|| lines("default.hex"));
    let row =
        |outcome, instructions| Row { name: name.clone(), outcome, instructions, mesa, seconds };
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return row(Outcome::Refused(error.to_string()), 0),
    };
    let length = compiled.image.words.len();
    let interface = compiled.image.interface.clone().expect("a shader's interface");
    let program = temporary.join(format!("{name}.elf"));
    std::fs::write(&program, elf::write(&compiled.image)).expect("a writable folder");
    if let Err(error) = Program::new(compiled.image.clone()) {
        return row(Outcome::Wrong(format!("not valid: {error}")), length);
    }
    let Some(base) = found else { return row(Outcome::Wrong("no job".into()), length) };
    let table: Table = std::fs::read_to_string(&base).expect("a job").parse().expect("a table");
    let constants = [false, true].map(|all| values(&table, &interface, all));
    let mut table = job_of(table, &interface, &program);
    for key in ["expect"] {
        let mut list = entries(&table, key);
        for entry in &mut list {
            for (key, least) in [("rtol", 3e-4), ("atol", 3e-5)] {
                let given = entry
                    .get(key)
                    .and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64)));
                entry.insert(key.into(), given.unwrap_or(0.0).max(least).into());
            }
        }
        table.insert(key.into(), Value::Array(list.into_iter().map(Value::Table).collect()));
    }
    let job = Job::parse(&table.to_string(), &folder.join("compiled.toml"));
    let job = match job {
        Ok(job) => job,
        Err(error) => return row(Outcome::Wrong(error.to_string()), length),
    };
    let mut outcome = Outcome::Right;
    for constants in constants {
        let mut job = job.clone();
        for pass in &mut job.passes {
            let held = std::sync::Arc::make_mut(&mut pass.constants);
            for (addr, channel, value) in &constants {
                held.float[*addr as usize][*channel as usize] = value.to_bits();
            }
        }
        let result = job.run(&Block::default(), &RunOptions::default(), &Stop::default());
        outcome = match result.and_then(|result| job.check(&result)) {
            Err(error) => Outcome::Wrong(error.to_string()),
            Ok(checks) => {
                let failed: Vec<String> = checks
                    .iter()
                    .filter(|check| !check.passed)
                    .map(|check| check.text.clone())
                    .collect();
                if failed.is_empty() { Outcome::Right } else { Outcome::Wrong(failed.join("; ")) }
            }
        };
        if let Outcome::Right = outcome {
            break;
        }
    }
    row(outcome, length)
}

/// Compiles and runs all shaders of a folder; prints a table.
fn check(root: &Path, flow: Flow) {
    let temporary = tempfile::tempdir().expect("a folder");
    let rows: Vec<Row> =
        folders(root).iter().map(|folder| run(folder, temporary.path(), flow)).collect();
    assert!(rows.len() > 50, "{}: {} shaders", root.display(), rows.len());
    let (mut right, mut refused, mut sum, mut count) = (0, 0, 0.0, 0);
    let mut problems = Vec::new();
    for row in &rows {
        let mesa = row.mesa.map_or("-".to_string(), |mesa| mesa.to_string());
        let text = match &row.outcome {
            Outcome::Right => {
                right += 1;
                if let Some(mesa) = row.mesa {
                    let factor = row.instructions as f64 / mesa as f64;
                    sum += factor.ln();
                    count += 1;
                    let straight = flow == Flow::Straight;
                    if straight && row.instructions as f64 > 1.3 * mesa as f64 + 2.0 {
                        problems.push(format!(
                            "{}: {} instructions, Mesa {mesa}",
                            row.name, row.instructions
                        ));
                    }
                }
                "right".to_string()
            }
            Outcome::Refused(why) => {
                refused += 1;
                problems.push(format!("{}: {why}", row.name));
                format!("refused: {}", why.lines().next().unwrap_or_default())
            }
            Outcome::Wrong(why) => {
                problems.push(format!("{}: {why}", row.name));
                format!("wrong: {}", why.lines().next().unwrap_or_default())
            }
        };
        println!(
            "{:32} {:4} {:>4} {:6.1} {text}",
            row.name,
            row.instructions,
            mesa,
            row.seconds * 1000.0
        );
    }
    let mean = (sum / f64::from(count.max(1))).exp();
    println!(
        "{} shaders: {right} right, {refused} refused; {mean:.3} of Mesa's instructions ({count})",
        rows.len()
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        mean <= if flow == Flow::Straight { 0.8 } else { 1.1 },
        "{mean} of Mesa's instructions"
    );
}

#[test]
fn shaders_in_the_repository_give_what_is_expected() {
    let jobs = ctm_testing::files::root().join("tests/vectors/jobs");
    check(&jobs, Flow::Straight);
    check(&jobs, Flow::Kept);
}

#[test]
fn all_shaders_give_what_is_expected() {
    if let Some(vectors) = ctm_testing::files::collection() {
        check(&vectors.join("jobs"), Flow::Straight);
        check(&vectors.join("jobs"), Flow::Kept);
    }
}
