//! A run of the job, and its pictures.

use crate::message::{Blob, Blobs};
use ctm::array::Raster;
use ctm::array::picture::Picture;
use ctm::engine::Stop;
use ctm::engine::block::Block;
use ctm::engine::card::X1900_XTX;
use ctm::job::{Job, JobResult, Role, RunOptions, SharedFiles, shader};
use serde::Serialize;

/// The picture of a buffer.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The buffer's name.
    pub name: String,
    /// The buffer's index in the job.
    pub buffer: usize,
    /// The format of an element.
    pub format: &'static str,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and 255 of each pixel, row 0 at the top.
    pub pixels: Blob,
    /// The values that are black and white.
    pub range: [f64; 2],
    /// Whether the job asks for this picture.
    pub asked: bool,
    /// Whether row 0 of the buffer is at the bottom.
    pub upward: bool,
}

/// The results of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// The pictures of buffers: those that the job asks for, then those of all others that a pass writes.
    pub pictures: Vec<Shown>,
    /// Launches, groups and points that ran.
    pub launches: u64,
    /// Groups.
    pub groups: u64,
    /// Points.
    pub points: u64,
    /// Counters by name.
    pub counters: Vec<(&'static str, u64)>,
    /// Active clocks by the model of the performance counters.
    pub clocks: Option<u64>,
    /// The least time of a card of the time, in seconds.
    pub card_seconds: Option<f64>,
    /// The card.
    pub card: &'static str,
    /// The unit that bounds it.
    pub card_bound: &'static str,
    /// Milliseconds of compilation here, if they were measured.
    pub compile_ms: Option<f64>,
    /// Milliseconds of execution.
    pub execute_ms: f64,
    /// Faults, a line each.
    pub faults: Vec<String>,
    /// Warnings and hazards, a line each.
    pub warnings: Vec<String>,
    /// The arithmetic.
    pub mode: &'static str,
    /// The verdict on each expectation of the job.
    pub checks: Vec<Check>,
    /// The pictures that it expects.
    pub expected: Vec<Shown>,
}

/// The verdict on an expectation.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Whether the result is as expected.
    pub passed: bool,
    /// The verdict in words.
    pub text: String,
}

/// Compares a result with what the job expects, if it expects anything.
fn check(job: &Job, result: &JobResult, files: &SharedFiles) -> Vec<Check> {
    if job.expects.is_empty() {
        return Vec::new();
    }
    match job.check_with(result, files) {
        Ok(checks) => checks
            .into_iter()
            .map(|check| Check { passed: check.passed, text: check.text })
            .collect(),
        Err(error) => vec![Check { passed: false, text: error.to_string() }],
    }
}

/// Runs the job.
///
/// # Errors
/// The job cannot run, or was stopped: the reason.
pub fn run(
    job: &Job,
    files: &SharedFiles,
    stop: &Stop,
    blobs: &mut Blobs,
) -> Result<(Run, Vec<Raster>), String> {
    let options = RunOptions { statistics: true, ..RunOptions::default() };
    let result = job.run(&Block::new(), &options, stop).map_err(|error| error.to_string())?;
    let mut rasters = Vec::new();
    let mut pictures = Vec::new();
    for buffer in shown(job) {
        let raster = result.raster(buffer).map_err(|error| error.to_string())?;
        pictures.push(picture(job, buffer, &raster, blobs));
        rasters.push(raster);
    }
    // A wrong array is in the verdict.
    let expected = job.expected_rasters(&result, files).unwrap_or_default();
    let expected = expected.iter().map(|(n, raster)| picture(job, *n, raster, blobs)).collect();
    let checks = check(job, &result, files);
    Ok((Run { checks, expected, ..summary(job, &result, pictures) }, rasters))
}

fn summary(job: &Job, result: &JobResult, pictures: Vec<Shown>) -> Run {
    let counters = result.statistics.iter().flat_map(|statistics| statistics.counters());
    Run {
        pictures,
        launches: result.launches,
        groups: result.groups,
        points: result.points,
        counters: counters.collect(),
        clocks: result.clocks,
        card_seconds: result.card.map(|card| card.seconds()),
        card: X1900_XTX.name,
        card_bound: result.card.map_or("", |card| card.bound().name()),
        compile_ms: result.seconds.compile.map(|time| time.as_secs_f64() * 1e3),
        execute_ms: result.seconds.execute.as_secs_f64() * 1e3,
        faults: result.job_faults(job).iter().map(|fault| fault.text()).collect(),
        warnings: result.warnings.iter().chain(&result.hazards).cloned().collect(),
        mode: result.mode.name(),
        ..Run::default()
    }
}

/// The buffers that have a picture, then the others that a pass writes.
pub fn shown(job: &Job) -> Vec<usize> {
    let outputs = job.passes.iter().flat_map(|pass| pass.outputs.iter().map(|&(_, name)| name));
    let conditions = job.passes.iter().filter_map(|pass| pass.condition.as_ref());
    let conditions = conditions.filter(|of| of.write).filter_map(|of| of.buffer);
    let swapped = job.passes.iter().filter_map(|pass| pass.swap).flat_map(|(a, b)| [a, b]);
    let pictures = (0..job.buffers.len()).filter(|&buffer| asked(job, buffer));
    let mut written: Vec<usize> =
        outputs.chain(conditions).chain(swapped).chain(pictures).collect();
    written.sort_unstable();
    written.dedup();
    written
        .sort_by_key(|&buffer| (!asked(job, buffer), job.buffers[buffer].role == Role::Condition));
    written
}

fn asked(job: &Job, buffer: usize) -> bool {
    let pictures = &job.buffers[buffer].pictures;
    pictures.image.is_some() || pictures.animation.is_some()
}

/// The picture of a buffer.
pub fn picture(job: &Job, n: usize, raster: &Raster, blobs: &mut Blobs) -> Shown {
    let buffer = &job.buffers[n];
    let asked = asked(job, n);
    let (picture, range) = if asked {
        let [low, high] = buffer.pictures.range;
        let plain = low == 0.0 && high == 1.0;
        let picture =
            if plain { Picture::of(raster) } else { Picture::in_range(raster, low, high) };
        (picture, [low, high])
    } else {
        let (picture, low, high) = Picture::scaled(raster);
        (picture, [low, high])
    };
    let upward = shader::upward(&job.passes, n);
    let picture = if upward { picture.upward() } else { picture };
    let size = if picture.grey { 1 } else { 3 };
    let pixels: Vec<u8> = picture
        .bytes
        .chunks_exact(size)
        .flat_map(|pixel| [pixel[0], pixel[size / 2], pixel[size - 1], 255])
        .collect();
    Shown {
        name: buffer.name.clone(),
        buffer: n,
        format: buffer.format.name(),
        width: picture.width,
        height: picture.height,
        pixels: blobs.add(&pixels),
        range: range.map(f64::from),
        asked,
        upward,
    }
}
