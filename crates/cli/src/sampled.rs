//! Programs without a job: their data come from a seed, from files and from the command line.

use super::output::tell;
use super::programs::Which;
use super::values::parse_size;
use super::{jobs, programs};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_engine::{Stop, Stopped};
use ctm_inspect::check::report::unwritten_note;
use ctm_inspect::check::statics::unwritten;
use ctm_jobs::array::{Dtype, Raster, npy, png};
use ctm_jobs::job::sample::Sample;
use ctm_jobs::job::shader;
use ctm_jobs::job::{Content, Job, Role, SharedFiles, turned};
use ctm_jobs::load::{Kind, Loaded};
use ctm_lang::program::{ConstantKind, NameKind, Program};
use ctm_machine::memory::Format;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The data and settings of a program without a job.
#[derive(clap::Args)]
pub struct Sampled {
    #[command(flatten)]
    which: Which,
    /// The seed of varyings, inputs and constants, if the file is a program. Default: 1
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Columns and rows of points and of inputs, if the file is a program. Default: 64x64
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    #[command(flatten)]
    given: Given,
}

/// The data that a program gets instead of data from the seed.
#[derive(clap::Args)]
pub struct Given {
    /// The value of a constant of a program: c0=1,2,3,4 or fewer numbers, n0=COUNT,START,STEP,
    /// b0=true, or a name instead of the register; of a shader, a uniform and all its numbers, a matrix
    /// column by column. Can be repeated.
    #[arg(long, value_name = "NAME=VALUES")]
    set: Vec<String>,
    /// The array or PNG picture that an input of a program reads, by the input's name or number. Can be
    /// repeated.
    #[arg(long, value_name = "NAME=FILE")]
    input: Vec<String>,
}

/// A program with data, and the origin of the data.
pub struct Made {
    /// The program's file.
    pub loaded: Loaded,
    /// The job.
    pub job: Job,
    /// The varyings, by temporary.
    pub sample: Sample,
}

/// The content of a file.
pub enum Found {
    /// A job.
    Job(Box<Job>),
    /// A program, with the job that was made of it.
    Program(Box<Made>),
}

impl Found {
    /// The job.
    pub fn job(&self) -> &Job {
        match self {
            Found::Job(job) => job,
            Found::Program(made) => &made.job,
        }
    }
}

impl Sampled {
    /// Refuses the options beside a job.
    pub fn must_not_be_given(&self) -> anyhow::Result<()> {
        let given = [
            ("--kind", self.which.kind.is_some()),
            ("--index", self.which.index.is_some()),
            ("--seed", self.seed.is_some()),
            ("--size", self.size.is_some()),
            ("--set", !self.given.set.is_empty()),
            ("--input", !self.given.input.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option}: it is for programs; a job says this itself"),
            None => Ok(()),
        }
    }

    /// The kind of the program, if an option says it.
    pub fn kind(&self) -> Option<Kind> {
        self.which.kind
    }

    /// The arrays that the options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.given.files()
    }

    /// The job in a file, or the job of the program in it.
    pub fn read(&self, file: &Path, shared: &SharedFiles, stop: &Stop) -> anyhow::Result<Job> {
        Ok(match self.find(file, shared, stop)? {
            Found::Job(job) => *job,
            Found::Program(made) => made.job,
        })
    }

    /// As [`Sampled::read`], with what is known of a program.
    pub fn find(&self, file: &Path, shared: &SharedFiles, stop: &Stop) -> anyhow::Result<Found> {
        if programs::is_job(file, self.which.kind, shared)? {
            self.must_not_be_given()?;
            return Ok(Found::Job(Box::new(Job::read_shared(file, shared, stop)?)));
        }
        let made = self.job(file, shared, stop)?;
        self.tell_filled(file, &made);
        Ok(Found::Program(Box::new(made)))
    }

    /// Prints to standard error what a program got that neither its author nor its user gave.
    pub fn tell_filled(&self, file: &Path, made: &Made) {
        let pass = &made.job.passes[0];
        let image = pass.program.image();
        let set: Vec<&str> = self.set().collect();
        let chosen = shader::chosen(pass, &set);
        // Listings and logs declare nothing, and shaders declare their varyings.
        let forgets =
            matches!(made.loaded.kind, Kind::Asm | Kind::Elf) && image.interface.is_none();
        let temps: Vec<u8> = pass.initial.iter().map(|initial| initial.temp).collect();
        let read = (forgets && !temps.is_empty())
            .then(|| unwritten_note(image, &temps, Some(made.sample.seed)));
        for note in chosen.into_iter().chain(read) {
            tell(format_args!("{}: note: {note}", file.display()));
        }
    }

    /// The job of a program.
    pub fn job(&self, file: &Path, shared: &SharedFiles, stop: &Stop) -> anyhow::Result<Made> {
        let sample = sample(self.seed.unwrap_or(1), self.size.unwrap_or((64, 64)));
        let loaded = programs::load_aloud(file, self.which, shared, stop)?;
        let mut made = of_program(file, loaded, sample)?;
        self.given.apply(&mut made.job, shared)?;
        Ok(made)
    }

    /// The constants that `--set` names.
    pub fn set(&self) -> impl Iterator<Item = &str> {
        self.given.set.iter().filter_map(|text| Some(text.split_once('=')?.0.trim()))
    }
}

impl Given {
    /// The option that is given, if any.
    pub fn option(&self) -> Option<&'static str> {
        let options = [("--set", &self.set), ("--input", &self.input)];
        options.into_iter().find_map(|(option, texts)| (!texts.is_empty()).then_some(option))
    }

    /// The options, each with its value.
    pub fn arguments(&self) -> impl Iterator<Item = [&str; 2]> {
        let set = self.set.iter().map(|text| ["--set", text]);
        set.chain(self.input.iter().map(|text| ["--input", text]))
    }

    /// The arrays that the options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.input.iter().filter_map(|text| Some(Path::new(text.split_once('=')?.1)))
    }

    /// Changes the job of a program.
    pub fn apply(&self, job: &mut Job, shared: &SharedFiles) -> anyhow::Result<()> {
        let mut seen = HashSet::new();
        for [option, text] in self.arguments() {
            let name = match option {
                "--set" => set(job, text),
                _ => input(job, text, shared),
            };
            let name = name.with_context(|| format!("{option} {text}"))?;
            if !seen.insert(name.clone()) {
                bail!("{option} {text}: {name} is given twice");
            }
        }
        shader::sizes(&mut job.passes[0], &job.buffers);
        Ok(())
    }
}

/// A program with all data from a seed.
pub fn of_program(file: &Path, loaded: Loaded, sample: Sample) -> anyhow::Result<Made> {
    let started = Instant::now();
    let program = program(file, &loaded)?;
    let verified = started.elapsed();
    let varyings = varyings(loaded.kind, &program, Stop::never())?;
    let mut job = Job::of_program(program, file, &sample, &varyings);
    job.about = format!("data from seed {}", sample.seed);
    job.compile = Some(loaded.compile + verified);
    Ok(Made { loaded, job, sample })
}

/// The program of a file, which must be valid.
pub fn program(file: &Path, loaded: &Loaded) -> anyhow::Result<Arc<Program>> {
    let program = Program::new(loaded.image.clone());
    program.map(Arc::new).map_err(|errors| anyhow!("{}: {errors}", file.display()))
}

/// Numbers from a seed: varyings and constants from -2 to 2.
pub fn sample(seed: u64, (width, height): (u32, u32)) -> Sample {
    Sample { seed, width, height, range: -2.0..2.0 }
}

/// The temporaries that get a varying: those that are read before they are written. Temporary 0 starts
/// with the point's position, which only programs of Mesa's compiler do not use as such.
pub fn varyings(kind: Kind, program: &Program, stop: &Stop) -> Result<Vec<u8>, Stopped> {
    let mut varyings = unwritten(program, stop)?;
    varyings.retain(|&temp| temp > 0 || !kind.has_container());
    Ok(varyings)
}

/// Sets a constant. Returns its name for messages.
fn set(job: &mut Job, text: &str) -> anyhow::Result<String> {
    let (name, values) =
        text.split_once('=').context("expected a constant and its value, such as c0=1,2,3,4")?;
    let pass = &mut job.passes[0];
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    if let Some(set) = shader::set(pass, name.trim(), &values) {
        job.warnings.extend(set.map_err(anyhow::Error::msg)?);
        return Ok(format!("`{}`", name.trim()));
    }
    let (kind, number) = pass.program.image().register(&ConstantKind::ALL, name.trim())?;
    let value = value(kind, &values)?;
    Arc::make_mut(&mut pass.constants).set(kind, number as usize, value);
    let note = Program::check_given([&*pass.program], kind.into(), number)?;
    job.warnings.extend(note);
    Ok(pass.program.image().named(kind.into(), number))
}

/// The value of a constant, as in a literal of a program. Numbers that are left out are 0.
fn value(kind: ConstantKind, values: &[&str]) -> anyhow::Result<[u32; 4]> {
    let mut units = [0; 4];
    let (most, needed) = match kind {
        ConstantKind::Float => (4, "at most 4"),
        ConstantKind::Int => (3, "at most 3: count, aL start, aL step"),
        ConstantKind::Bool => (1, "true or false"),
    };
    if values.len() > most {
        bail!("found {} values, expected {needed}", values.len());
    }
    let ranges = [0..=255, 0..=255, -128..=127, 0..=0];
    for ((unit, value), range) in units.iter_mut().zip(values).zip(ranges) {
        *unit = match kind {
            ConstantKind::Float => shader::float_bits(value).map_err(anyhow::Error::msg)?,
            ConstantKind::Int => {
                let number: Option<i32> = value.parse().ok().filter(|n| range.contains(n));
                number.with_context(|| {
                    format!("{value} is not a number from {} to {}", range.start(), range.end())
                })? as u32
            }
            ConstantKind::Bool => match *value {
                "true" | "1" => 1,
                "false" | "0" => 0,
                _ => bail!("{value} is not true or false"),
            },
        };
    }
    Ok(units)
}

/// Gives an input an array. Returns its name for messages.
fn input(job: &mut Job, text: &str, shared: &SharedFiles) -> anyhow::Result<String> {
    let (name, file) =
        text.split_once('=').context("expected an input and a file, such as 0=image.npy")?;
    let program = Arc::clone(&job.passes[0].program);
    let (_, slot) = program.image().register(&[NameKind::Input], name.trim())?;
    let note = Program::check_given([&*program], NameKind::Input, slot)?;
    job.warnings.extend(note);
    let path = PathBuf::from(file.trim());
    jobs::check_argument(shared, &path)?;
    let name = || path.display().to_string();
    let bytes = files::read(&path, npy::MAX_FILE).with_context(name)?;
    let buffer = job.buffers.iter_mut().find(|buffer| buffer.role == Role::Input(slot));
    let named = program.image().named(NameKind::Input, slot);
    let Some(buffer) = buffer else { return Ok(named) };
    let mut raster = raster(&bytes, buffer.format).with_context(name)?;
    let upward = program.image().interface.as_ref().is_some_and(|interface| interface.upward);
    if upward && png::is_png(&bytes) {
        raster.units = turned(&raster.units, raster.width * raster.format.channels());
    }
    (buffer.format, buffer.width, buffer.height) = (raster.format, raster.width, raster.height);
    let (tiling, format) = (buffer.tiling, raster.format);
    buffer.pitch = ctm_machine::memory::surface::default_pitch(tiling, format, raster.width);
    buffer.content = Content::Array(Arc::new(raster.units));
    Ok(named)
}

/// The array in a file, in the format that has its type and channels; or the picture in it, in this
/// format.
fn raster(bytes: &[u8], of_picture: Format) -> anyhow::Result<Raster> {
    if png::is_png(bytes) {
        return Ok(png::read(bytes, of_picture)?);
    }
    let array = npy::parse_no_picture(bytes)?;
    let channels = array.shape.get(2).copied().unwrap_or(1);
    let fits = |format: &Format| {
        format.channels() as usize == channels && Dtype::of(*format) == array.dtype
    };
    let format = Format::ALL.into_iter().find(fits);
    let format = format.with_context(|| format!("no format has {}", array.describe()))?;
    Ok(array.into_raster(format)?)
}
