//! Programs without a job: their data come from a seed, from files and from the command line.

use super::run::parse_size;
use super::{jobs, programs};
use crate::array::{Dtype, npy};
use crate::check::statics::unwritten;
use crate::engine::{Stop, Stopped};
use crate::files;
use crate::job::sample::Sample;
use crate::job::{Content, Job, Role, SharedFiles};
use crate::launch::IntConstant;
use crate::load::Loaded;
use crate::memory::Format;
use crate::program::{ConstantKind, Image, Program};
use anyhow::{Context, anyhow, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a program runs with if there is no job.
#[derive(clap::Args)]
pub struct Sampled {
    /// The seed of varyings, inputs and constants, if the file is a program. Default: 1
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Columns and rows of points and of inputs, if the file is a program. Default: 64x64
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// The value of a constant of a program: c0=1,2,3,4 or fewer numbers, n0=COUNT,START,STEP,
    /// b0=true, or a name instead of the register. Can be repeated.
    #[arg(long, value_name = "NAME=VALUES")]
    set: Vec<String>,
    /// The array that input N of a program reads. Can be repeated.
    #[arg(long, value_name = "N=FILE.npy")]
    input: Vec<String>,
}

/// A program with data, and what they came from.
pub struct Made {
    /// The program's file.
    pub loaded: Loaded,
    /// The job.
    pub job: Job,
    /// The varyings, by temporary.
    pub sample: Sample,
}

impl Sampled {
    /// Refuses the options beside a job.
    pub fn must_not_be_given(&self) -> anyhow::Result<()> {
        let given = [
            ("--seed", self.seed.is_some()),
            ("--size", self.size.is_some()),
            ("--set", !self.set.is_empty()),
            ("--input", !self.input.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option}: a job has data of its own; it is for programs"),
            None => Ok(()),
        }
    }

    /// The arrays that the options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.input.iter().filter_map(|text| Some(Path::new(text.split_once('=')?.1)))
    }

    /// The job of a program.
    pub fn job(&self, file: &Path, shared: &SharedFiles) -> anyhow::Result<Made> {
        let loaded = programs::load_aloud(file, None, None, shared)?;
        let program = program(file, &loaded)?;
        let sample = sample(self.seed.unwrap_or(1), self.size.unwrap_or((64, 64)));
        let varyings = varyings(&loaded, &program, Stop::never())?;
        let mut job = Job::of_program(program, file, &sample, &varyings);
        job.about = format!("data from seed {}", sample.seed);
        for text in &self.set {
            set(&mut job, &loaded.image, text).with_context(|| format!("--set {text}"))?;
        }
        for text in &self.input {
            input(&mut job, text, shared).with_context(|| format!("--input {text}"))?;
        }
        Ok(Made { loaded, job, sample })
    }
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
pub fn varyings(loaded: &Loaded, program: &Program, stop: &Stop) -> Result<Vec<u8>, Stopped> {
    let mut varyings = unwritten(program, stop)?;
    varyings.retain(|&temp| temp > 0 || !loaded.kind.has_container());
    Ok(varyings)
}

/// Sets a constant.
fn set(job: &mut Job, image: &Image, text: &str) -> anyhow::Result<()> {
    let (name, values) =
        text.split_once('=').context("expected a constant and its value, such as c0=1,2,3,4")?;
    let (kind, number) = constant(image, name.trim())?;
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    let constants = Arc::make_mut(&mut job.passes[0].constants);
    match kind {
        ConstantKind::Float => {
            if values.len() > 4 {
                bail!("found {} values, expected at most 4", values.len());
            }
            let mut bits = [0; 4];
            for (bits, value) in bits.iter_mut().zip(&values) {
                let number: f32 = value.parse().map_err(|_| anyhow!("{value} is not a number"))?;
                *bits = number.to_bits();
            }
            constants.float[number] = bits;
        }
        ConstantKind::Int => {
            let mut numbers = [0i16; 3];
            if values.len() > 3 {
                bail!("found {} values, expected count, aL start, aL step", values.len());
            }
            for ((number, value), range) in
                numbers.iter_mut().zip(&values).zip([0..=255, 0..=255, -128..=127])
            {
                *number = value.parse().ok().filter(|n| range.contains(n)).with_context(|| {
                    format!("{value} is not a number from {} to {}", range.start(), range.end())
                })?;
            }
            let [count, start, step] = numbers;
            constants.int[number] =
                IntConstant { count: count as u8, start: start as u8, step: step as i8 };
        }
        ConstantKind::Bool => {
            let on = match values[..] {
                ["true" | "1"] => true,
                ["false" | "0"] => false,
                _ => bail!("expected true or false"),
            };
            let bit = 1 << number;
            constants.bool = if on { constants.bool | bit } else { constants.bool & !bit };
        }
    }
    Ok(())
}

/// The constant that a register or a name means.
fn constant(image: &Image, name: &str) -> anyhow::Result<(ConstantKind, usize)> {
    let register = |(kind, letter): (ConstantKind, char)| {
        let number: usize = name.strip_prefix(letter)?.parse().ok()?;
        (number < kind.count()).then_some((kind, number))
    };
    if let Some(found) = ConstantKind::ALL.into_iter().zip(['c', 'n', 'b']).find_map(register) {
        return Ok(found);
    }
    let names = ConstantKind::ALL.into_iter().flat_map(|kind| {
        let name = move |n| image.name_of(kind.into(), n as u32);
        (0..kind.count()).filter_map(move |n| Some((name(n)?, (kind, n))))
    });
    let names: Vec<(&str, _)> = names.collect();
    names.iter().find(|(known, _)| *known == name).map(|(_, found)| *found).with_context(|| {
        let known: Vec<&str> = names.iter().map(|(known, _)| *known).collect();
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        format!(
            "there is no constant {name}: registers are c0 to c255, n0 to n31, b0 to b31; the program names {known}"
        )
    })
}

/// Gives an input an array.
fn input(job: &mut Job, text: &str, shared: &SharedFiles) -> anyhow::Result<()> {
    let (slot, file) =
        text.split_once('=').context("expected a slot and a file, such as 0=image.npy")?;
    let number = slot.trim().parse().ok().filter(|slot: &u32| *slot < 16);
    let slot =
        number.with_context(|| format!("{slot} is not the number of an input, from 0 to 15"))?;
    let path = PathBuf::from(file.trim());
    jobs::check_argument(shared, &path)?;
    let name = || path.display().to_string();
    let bytes = files::read(&path, npy::MAX_FILE).with_context(name)?;
    let array = npy::parse(&bytes).with_context(name)?;
    let channels = array.shape.get(2).copied().unwrap_or(1);
    let fits = |format: &Format| {
        format.channels() as usize == channels && Dtype::of(*format) == array.dtype
    };
    let format = Format::ALL.into_iter().find(fits);
    let format =
        format.with_context(|| format!("{}: no format has {}", name(), array.describe()))?;
    let raster = array.into_raster(format).with_context(name)?;
    let buffer = job.buffers.iter_mut().find(|buffer| buffer.role == Role::Input(slot));
    let buffer = buffer.with_context(|| format!("the program does not read input {slot}"))?;
    (buffer.format, buffer.width, buffer.height) = (format, raster.width, raster.height);
    buffer.pitch = crate::memory::surface::default_pitch(buffer.tiling, format, raster.width);
    buffer.content = Content::Array(Arc::new(raster.units));
    Ok(())
}
