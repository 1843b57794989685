//! The surroundings of the passes of a job for proofs about ranges: what they start with, and its bounds.

use super::{constants, observed};
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::{Buffer, Content, Job, Pass, ValueRange};
use ctm_lang::program::{ConstantKind, NameKind};
use ctm_machine::memory::format::{decode, encode_units};
use ctm_prove::ranges::{Bounds, Range, Texels};
use ctm_prove::term::Input;
use ctm_prove::{Float, Setup, Start};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The surroundings of a pass.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Its state at the start.
    pub setup: Setup,
    /// The bounds of that.
    pub bounds: Bounds,
    /// The buffer of each output.
    pub outputs: Vec<(u32, usize)>,
    /// The conditional buffer.
    pub condition: Option<usize>,
}

impl Surroundings {
    /// The bounds of a channel of a float constant.
    pub fn constant(&self, n: usize, channel: usize) -> Range {
        match self.setup.floats[n][channel] {
            Float::Bits(bits) => Range::of(bits),
            Float::Constant(n, channel) => self.bounds.input(Input::Constant(n, channel)),
            Float::Uniform(n, kind) => self.bounds.input(Input::Uniform(n, kind)),
        }
    }
}

/// A value of a job that is outside the range that the job gives for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: [ranges]: channel {channel} of {register} is {own}, outside {range}", file.display())]
pub struct OutsideRange {
    /// The job file.
    pub file: PathBuf,
    /// The channel.
    pub channel: char,
    /// The register.
    pub register: String,
    /// The range of its own values.
    pub own: String,
    /// The range that the job gives.
    pub range: String,
}

/// The surroundings of each pass.
///
/// # Errors
/// A value is outside the range that the job gives for it.
pub fn surroundings(job: &Job) -> Result<Vec<Surroundings>, OutsideRange> {
    let (mut inputs, mut outputs, mut mask) = (BTreeMap::new(), BTreeMap::new(), None);
    let mut condition = None;
    let mut passes = Vec::new();
    for (n, pass) in job.passes.iter().enumerate() {
        // What a pass does not set, it has from the pass before.
        inputs.extend(pass.inputs.iter().map(|&(slot, buffer)| (slot, vec![buffer])));
        for (slot, buffers) in &pass.each.inputs {
            inputs.insert(*slot, buffers.clone());
        }
        outputs.extend(pass.outputs.iter().copied());
        mask = pass.mask.or(mask);
        condition = pass.condition.or(condition);
        let written = Rewritten { job, any: n > 0 || pass.repeat > 1 };
        let mut bounds = bounds(pass, &inputs, &written);
        let mut setup = Setup::of(&pass.program);
        constants(&mut setup, pass);
        for (kind, n, _) in &pass.each.constants {
            match kind {
                ConstantKind::Float => setup.floats[*n] = Float::unknown(*n),
                ConstantKind::Int => setup.ints[*n] = None,
                ConstantKind::Bool => setup.bools[*n] = None,
            }
        }
        let initial = pass.initial.iter();
        setup.start =
            initial.map(|initial| (initial.temp, Start::Data(initial.temp.into()))).collect();
        let all = Pass { outputs: outputs.clone().into_iter().collect(), mask, ..pass.clone() };
        setup.observed = observed(job, &all);
        given(job, pass, &inputs, &mut setup, &mut bounds)?;
        if let Some(interface) = &pass.program.image().interface {
            setup.name(interface);
        }
        passes.push(Surroundings {
            setup,
            bounds,
            outputs: outputs.iter().map(|(&slot, &buffer)| (slot, buffer)).collect(),
            condition: condition.and_then(|one| one.buffer),
        });
    }
    Ok(passes)
}

/// Bounds what the job gives ranges for.
fn given(
    job: &Job,
    pass: &Pass,
    inputs: &BTreeMap<u32, Vec<usize>>,
    setup: &mut Setup,
    bounds: &mut Bounds,
) -> Result<(), OutsideRange> {
    for &ValueRange { kind, number, channel, low, high } in &pass.ranges {
        let c = usize::from(channel);
        let own = match kind {
            NameKind::Float => {
                let n = number as u8;
                setup.floats[number as usize][c] = Float::Constant(n, channel);
                let value = pass.constants.float[number as usize];
                &mut bounds.constants.entry(n).or_insert(value.map(Range::of))[c]
            }
            NameKind::Temp => {
                let start = (number as u8, Start::Data(number));
                if !setup.start.contains(&start) {
                    setup.start.push(start);
                }
                &mut bounds.data.entry(number).or_insert([Range::of(0); 4])[c]
            }
            _ => {
                let mut buffers = inputs.get(&number).into_iter().flatten();
                let has = |&n: &usize| {
                    let Buffer { tiling, format, .. } = job.buffers[n];
                    tiling.is_2x2() || u32::from(channel) < format.channels()
                };
                match bounds.surfaces.get_mut(&number) {
                    Some(texels) if buffers.all(has) => &mut texels.channels[c],
                    _ => continue,
                }
            }
        };
        let range = Range::between(low, high);
        if *own == Range::ANYTHING {
            // Nothing is known of it.
            *own = range;
            continue;
        }
        let both = own.or(range);
        if both.numbers() != range.numbers() {
            return Err(OutsideRange {
                file: job.file.clone(),
                channel: LETTERS[c],
                register: pass.program.image().named(kind, number).to_string(),
                own: own.to_string(),
                range: format!("[{low:?}, {high:?}]"),
            });
        }
        *own = both;
    }
    Ok(())
}

/// Which contents of buffers can be others than the file's.
struct Rewritten<'a> {
    job: &'a Job,
    /// Whether anything ran before.
    any: bool,
}

impl Rewritten<'_> {
    fn is_written(&self, buffer: usize) -> bool {
        let Job { buffers, passes, .. } = self.job;
        // Surfaces with addresses can overlap, and so can rows.
        if buffers.iter().any(|buffer| buffer.address.is_some())
            || buffers[buffer].pitch < buffers[buffer].width
        {
            return true;
        }
        self.any
            && passes.iter().any(|pass| {
                let condition = pass.condition.and_then(|condition| condition.buffer);
                pass.outputs.iter().any(|&(_, output)| output == buffer)
                    || pass.swap.is_some_and(|(a, b)| a == buffer || b == buffer)
                    || condition == Some(buffer)
            })
    }
}

/// The bounds of what a pass starts with. `inputs`: the buffers that each slot can have.
fn bounds(pass: &Pass, inputs: &BTreeMap<u32, Vec<usize>>, written: &Rewritten<'_>) -> Bounds {
    let mut bounds = Bounds::default();
    let domain = pass.domain;
    for (range, (first, last)) in
        bounds.point.iter_mut().zip([(domain.i0, domain.i1), (domain.j0, domain.j1)])
    {
        // Whole quads run.
        *range = Range::new((first & !1) as f32, (last | 1) as f32, 0);
    }
    for initial in &pass.initial {
        bounds.data.insert(initial.temp.into(), channels_of(initial.data.iter().copied()));
    }
    for (kind, n, values) in &pass.each.constants {
        if *kind == ConstantKind::Float {
            bounds.constants.insert(*n as u8, channels_of(values.iter().copied()));
        }
    }
    for (&slot, buffers) in inputs {
        let all = buffers.iter().flat_map(|&buffer| {
            let swapped = pass.swap.filter(|&(a, b)| written.any && (a == buffer || b == buffer));
            let swapped = swapped.map(|(a, b)| if a == buffer { b } else { a });
            [Some(buffer), swapped].into_iter().flatten()
        });
        let texels =
            all.map(|n| texels(&written.job.buffers[n], written.is_written(n))).reduce(|a, b| {
                Texels {
                    channels: [0, 1, 2, 3].map(|c| a.channels[c].or(b.channels[c])),
                    size: [0, 1].map(|n| a.size[n].min(b.size[n])),
                }
            });
        bounds.surfaces.extend(texels.map(|texels| (slot, texels)));
    }
    bounds
}

/// The ranges of the channels of some values.
fn channels_of(values: impl Iterator<Item = [u32; 4]>) -> [Range; 4] {
    let mut all = [Range::NOTHING; 4];
    for value in values {
        for (range, bits) in all.iter_mut().zip(value) {
            *range = range.or(Range::of(bits));
        }
    }
    all
}

/// The bounds of a buffer's texels: those of its content, or those of its format if it is `written`.
fn texels(buffer: &Buffer, written: bool) -> Texels {
    let Buffer { format, width, height, content, .. } = buffer;
    let count = format.channels() as usize;
    let value = |units: [u32; 4]| decode(*format, &encode_units(*format, units, 15).bytes);
    let mut channels = match content {
        _ if written => {
            let any = if format.is_float() { Range::ANYTHING } else { Range::new(0.0, 1.0, 0) };
            let missing = value([0; 4]).map(Range::of);
            [0, 1, 2, 3].map(|c| if c < count { any } else { missing[c] })
        }
        Content::Zero => channels_of(std::iter::once(value([0; 4]))),
        Content::Fill(units) => channels_of(std::iter::once(value(*units))),
        Content::Array(units) => channels_of(units.chunks_exact(count).map(|texel| {
            let mut units = [0; 4];
            units[..count].copy_from_slice(texel);
            value(units)
        })),
    };
    if buffer.tiling.is_2x2() {
        // The first channels of four texels.
        channels = [channels[0]; 4];
    }
    Texels { channels, size: [*width, *height] }
}
