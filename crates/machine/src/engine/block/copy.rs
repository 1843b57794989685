//! Programs that copy: each point fetches the element at its own place, and one output gets it,
//! channel for channel.
//!
//! Clients of the original interface move all their data by such programs. Where both surfaces have
//! one format, a band is copied element by element, without groups and rows of channels.

use super::code::Prepared;
use super::io::{Io, LaunchData};
use super::lanes::{Exact, Fast, Mode};
use super::machine::Machine;
use crate::engine::Checked;
use crate::launch::{FloatMode, Test};
use crate::lower::{FetchBits, Lowered, Operand, Write};
use crate::memory::{Surface, translate};
use ctm_isa::float;
use ctm_isa::ops::{Calc, Op};
use std::ops::Range;

/// The runs of a row of a tile.
const RUNS: usize = 8;

/// The `aux` of the one [`Calc::Finish`] that a channel goes through; `None`: its bits stay.
type Finish = Option<u16>;

/// A program that copies.
#[derive(Clone, Copy)]
pub(super) struct Copy {
    input: usize,
    output: usize,
    /// The temporaries' channels, 4 n + channel, with the texel's column and row.
    place: [usize; 2],
    /// The output's channels that get the texel's channel of the same number.
    channels: [Option<Finish>; 4],
    /// Slot of the last instruction.
    end: u32,
}

impl Copy {
    /// `None` if the program does anything else.
    pub(super) fn of(lowered: &Lowered) -> Option<Copy> {
        let start = lowered.entry[lowered.start as usize] as usize;
        let (fetch, rest) = lowered.ops[start..].split_first()?;
        let texels = FetchBits::UNSCALED | FetchBits::PROJECT;
        // With data sharing, groups stop after every instruction.
        if fetch.op != Op::Fetch
            || fetch.aux & texels != FetchBits::UNSCALED
            || !lowered.windows.is_empty()
        {
            return None;
        }
        let [s, t, ..] = fetch.operands;
        let number = |operand: Operand| {
            let is_row = |&row: &u16| operand == Operand::row(row.into());
            lowered.temp_rows.iter().position(is_row)
        };
        let place = [number(s)?, number(t)?];
        // The rows that hold a channel of the texel.
        let mut rows = vec![None; lowered.rows as usize];
        for n in 0..4 {
            rows[fetch.dst as usize + n] = Some((n, None));
        }
        let (mut output, mut channels) = (None, [None; 4]);
        for op in rest {
            if op.op == Op::End {
                let input = usize::from(fetch.aux & FetchBits::INPUT);
                let end = op.pc.into();
                return Some(Copy { input, output: output?, place, channels, end });
            }
            let a = op.operands[0];
            let is_row = a.is_plain() && !a.is_uniform();
            let texel: Option<(usize, Finish)> = rows.get(a.index() as usize).copied().flatten();
            let texel = texel.filter(|_| is_row);
            let value = if op.write == Write::Gated {
                return None;
            } else if matches!(op.op, Op::Calc(Calc::Mov) | Op::Output) {
                texel
            } else if op.op == Op::Calc(Calc::Finish) {
                texel.filter(|(_, finish)| finish.is_none()).map(|(n, _)| (n, Some(op.aux)))
            } else {
                return None;
            };
            rows[op.dst as usize] = value;
            if op.op == Op::Output {
                let (number, channel) = (usize::from(op.aux / 4), usize::from(op.aux % 4));
                if number >= 4 || output.is_some_and(|other| other != number) {
                    return None;
                }
                output = Some(number);
                let value = value.filter(|&(n, _)| n == channel);
                channels[channel] = value.map(|(_, finish)| finish);
            }
        }
        None
    }

    /// Whether a launch of the program moves whole elements, each from and to its point's place.
    pub(super) fn fits(&self, shared: &LaunchData) -> bool {
        let (launch, domain) = (shared.launch, &shared.launch.domain);
        let (Some(input), Some(to)) = (&shared.inputs[self.input], launch.outputs[self.output])
        else {
            return false;
        };
        let from = &input.surface;
        let channels = &self.channels[..to.format.channels() as usize];
        let mask = (1u8 << channels.len()) - 1;
        // A fixed-point number, as a channel, is not changed by the output modifier x1.
        let stays = |finish: Finish| to.format.is_float() || finish.is_none_or(|aux| aux == 0);
        let condition = &launch.condition;
        input.complete
            && from.format == to.format
            && !from.tiling.is_2x2()
            && domain.i1 < from.width.min(to.pitch)
            && domain.j1 < from.height.min(to.height)
            && launch.out_mask & mask == mask
            && channels.iter().all(|&channel| channel == channels[0])
            && channels[0].is_some_and(stays)
            && condition.test == Test::Always
            && condition.touched().is_none()
            && self.is_own_place(launch)
    }

    /// Whether each point of the domain fetches the element at its place.
    fn is_own_place(&self, launch: &Checked) -> bool {
        let domain = &launch.domain;
        let axes = [(domain.i0, domain.i1), (domain.j0, domain.j1)].into_iter().enumerate();
        axes.zip(self.place).all(|((axis, (first, last)), number)| {
            let (temp, channel) = (number / 4, number % 4);
            if launch.started_temps() >> temp & 1 != 0 {
                return false;
            }
            if temp == 0 {
                return channel == axis;
            }
            let planes = launch.interpolants.as_ref().and_then(|planes| planes.get(temp - 1));
            let Some(&[a, b, c]) = planes.map(|planes| &planes[channel]) else { return false };
            let (along, across) = if axis == 0 { (b, c) } else { (c, b) };
            let texel = |n: u32| {
                let moved = float::mul(along, (n as f32 + 0.5).to_bits(), false);
                float::texel_index(float::add(a, moved))
            };
            float::is_zero(across) && (first..=last).all(|n| i64::from(texel(n)) == i64::from(n))
        })
    }
}

/// How a launch copies: the same for all its bands.
pub(super) struct Plan {
    copy: Copy,
    from: Surface,
    to: Surface,
    /// The runs of a row of the domain.
    runs: Vec<Run>,
    /// Whether they are those of whole tiles of the one surface that is tiled.
    whole: bool,
    /// The conversion of the numbers.
    finish: Finish,
}

impl Plan {
    /// `None` if the groups must run.
    pub(super) fn of(prepared: &Prepared, shared: &LaunchData) -> Option<Plan> {
        let copy = prepared.copy.filter(|copy| copy.fits(shared))?;
        let from = shared.inputs[copy.input].as_ref()?.surface;
        let to = shared.launch.outputs[copy.output]?;
        let finish = copy.channels[0].flatten().filter(|_| to.format.is_float());
        let domain = &shared.launch.domain;
        let width = 1 << translate::tile_width_log2(to.format.bytes_log2());
        let is_whole = |column: u32| column.is_multiple_of(width);
        let whole = from.tiling.is_tiled() != to.tiling.is_tiled()
            && is_whole(domain.i0)
            && is_whole(domain.i1 + 1)
            && finish.is_none();
        Some(Plan { copy, from, to, runs: runs(shared.launch, &from, &to), whole, finish })
    }
}

/// Copies the elements of a band of groups. If it returns `false`, some may be copied, and the
/// groups have not run.
pub(super) fn band(
    plan: &Plan,
    m: &mut Machine,
    prepared: &Prepared,
    io: &mut Io,
    tiles: &Range<u64>,
) -> bool {
    let (launch, Plan { copy, from, to, runs, .. }) = (io.launch, plan);
    let Some(input) = &io.shared.inputs[copy.input] else { return false };
    let [out] = &mut io.outs[copy.output][..] else { return false };
    let tile = |n| io.grouping.tile(n);
    let Some(last) = tiles.end.checked_sub(1).filter(|last| *last >= tiles.start) else {
        return false;
    };
    let domain = &launch.domain;
    let first = tile(tiles.start).j.max(domain.j0);
    let rows = first..(tile(last).j + io.grouping.height).min(domain.j1 + 1);
    for j in rows.clone() {
        let mut row = Row {
            source: (from.address(0, j), input.view.base, input.view.bytes),
            target: (to.address(0, j), out.start, &mut *out.bytes),
        };
        let tiles = match (plan.whole, runs.first().map_or(0, |run| run.bytes)) {
            (true, 8) => row.tiles::<8>(plan),
            (true, 16) => row.tiles::<16>(plan),
            (true, 32) => row.tiles::<32>(plan),
            _ => None,
        };
        // The bytes may end within the last tiles.
        if tiles.or_else(|| row.runs(plan, launch.mode)).is_none() {
            return false;
        }
    }
    // All points are active, and run to the end.
    let groups = tiles.end - tiles.start;
    let points = u64::from(rows.end - rows.start) * u64::from(domain.width());
    let end = copy.end + 1;
    m.statistics.groups += groups;
    m.statistics.points += points;
    m.statistics.fetches += points;
    m.statistics.lane_instructions += points * u64::from(end.saturating_sub(prepared.start));
    prepared.count(prepared.start, end, groups, &mut m.statistics);
    true
}

/// Elements of a row whose bytes follow each other in both surfaces.
struct Run {
    /// The parts of the first one's addresses that depend on the column, see [`translate::join`].
    parts: [u32; 2],
    bytes: usize,
}

/// The runs of a row of the domain.
fn runs(launch: &Checked, from: &Surface, to: &Surface) -> Vec<Run> {
    let longest = from.run().min(to.run());
    let (mut i, end) = (launch.domain.i0, launch.domain.i1 + 1);
    let mut runs = Vec::new();
    while i < end {
        let count = (longest - i % longest).min(end - i);
        let parts = [from, to].map(|surface| Surface { base: 0, ..*surface }.address(i, 0));
        runs.push(Run { parts, bytes: (count * to.format.bytes_per_element()) as usize });
        i += count;
    }
    runs
}

/// A row of the input and of the output: the address of its column 0, the address of the first byte, the bytes.
struct Row<'a> {
    source: (u32, u32, &'a [u8]),
    target: (u32, u32, &'a mut [u8]),
}

impl Row<'_> {
    /// Copies the runs one by one; `None` if one is not in the bytes.
    fn runs(&mut self, plan: &Plan, mode: FloatMode) -> Option<()> {
        let is_tiled = [&plan.from, &plan.to].map(|surface| surface.tiling.is_tiled());
        let (source, target) = (self.source, &mut self.target);
        for run in &plan.runs {
            let at = |n: usize, (row, base)| {
                translate::join(is_tiled[n], run.parts[n], row).wrapping_sub(base) as usize
            };
            let (from, to) = (at(0, (source.0, source.1)), at(1, (target.0, target.1)));
            let from = source.2.get(from..from + run.bytes)?;
            let to = target.2.get_mut(to..to + run.bytes)?;
            // Those of tiled surfaces, without a call.
            match run.bytes {
                8 => fixed::<8>(from, to),
                16 => fixed::<16>(from, to),
                32 => fixed::<32>(from, to),
                _ => to.copy_from_slice(from),
            }
            match (plan.finish, mode) {
                (None, _) => {}
                (Some(aux), FloatMode::Exact | FloatMode::Chip) => finish_all::<Exact>(to, aux),
                (Some(aux), FloatMode::Fast) => finish_all::<Fast>(to, aux),
            }
        }
        Some(())
    }

    /// Copies runs of N bytes that are whole tiles of the one surface that is tiled; `None` if they are not in the
    /// bytes.
    fn tiles<const N: usize>(&mut self, plan: &Plan) -> Option<()> {
        let (source, target) = (self.source, &mut self.target);
        let bytes = plan.runs.len() * N;
        let first = plan.runs.first()?;
        // The runs of a tile are all that it has in a row.
        let all = bytes * translate::TILE_BYTES / (N * RUNS);
        let linear = |part: u32, (row, base): (u32, u32)| {
            let at = row.wrapping_add(part).wrapping_sub(base) as usize;
            at..at + bytes
        };
        let tiled = |part: u32, (row, base): (u32, u32)| {
            let inside = translate::TILE_BYTES as u32 - 1;
            let at = translate::join(true, part, row) & !inside;
            let at = at.wrapping_sub(base) as usize;
            at..at + all
        };
        // Where a run is in its tile, in runs.
        let place = |part: u32, row: u32| (part ^ row) as usize % translate::TILE_BYTES / N;
        let in_tiles = plan.runs.chunks_exact(RUNS);
        if plan.to.tiling.is_tiled() {
            let from = source.2.get(linear(first.parts[0], (source.0, source.1)))?;
            let to = target.2.get_mut(tiled(first.parts[1], (target.0, target.1)))?;
            let lines = from.as_chunks::<N>().0.chunks_exact(RUNS);
            let tiles = to.as_chunks_mut::<N>().0.chunks_exact_mut(translate::TILE_BYTES / N);
            for ((line, tile), runs) in lines.zip(tiles).zip(in_tiles) {
                for (from, run) in line.iter().zip(runs) {
                    tile[place(run.parts[1], target.0)] = *from;
                }
            }
        } else {
            let from = source.2.get(tiled(first.parts[0], (source.0, source.1)))?;
            let to = target.2.get_mut(linear(first.parts[1], (target.0, target.1)))?;
            let tiles = from.as_chunks::<N>().0.chunks_exact(translate::TILE_BYTES / N);
            let lines = to.as_chunks_mut::<N>().0.chunks_exact_mut(RUNS);
            for ((line, tile), runs) in lines.zip(tiles).zip(in_tiles) {
                for (to, run) in line.iter_mut().zip(runs) {
                    *to = tile[place(run.parts[0], source.0)];
                }
            }
        }
        Some(())
    }
}

/// Copies N bytes.
fn fixed<const N: usize>(source: &[u8], target: &mut [u8]) {
    if let (Some(source), Some(target)) = (source.first_chunk::<N>(), target.first_chunk_mut::<N>())
    {
        *target = *source;
    }
}

/// Finishes numbers in memory.
fn finish_all<M: Mode>(bytes: &mut [u8], aux: u16) {
    for word in bytes.as_chunks_mut().0 {
        *word = M::finish([u32::from_le_bytes(*word), 0, 0, 0], aux).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;
    use ctm_lang::program::Program;
    use ctm_lang::{asm, ps};

    /// The output, and the channels with their last steps.
    fn copied(program: &Program) -> Option<(usize, [Option<Finish>; 4])> {
        let modes = [FloatMode::Exact, FloatMode::Chip, FloatMode::Fast];
        let [exact, chip, fast] = modes.map(|mode| {
            let copy = Copy::of(&lower(program, 0, mode))?;
            Some((copy.output, copy.channels))
        });
        assert_eq!([exact, chip], [fast, fast]);
        exact
    }

    fn assembled(source: &str) -> Option<(usize, [Option<Finish>; 4])> {
        let image = asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
        copied(&Program::new(image).unwrap_or_else(|e| panic!("{e}")))
    }

    #[test]
    fn copies_are_seen() {
        for (source, output, channels) in [
            ("ld r1, i0[r0.rg]\nmovx o0, r1", 0, [Some(None); 4]),
            ("ld r1, i0[r0.rg]\nmov o2, r1", 2, [Some(Some(0)); 4]),
            ("ld r1, i3[r4.gr]\nmovx r7, r1\nmov*2 o0, r7", 0, [Some(Some(1)); 4]),
            ("ld r1, i0[r0.rg].bgra\nmovx o0, r1.bgra", 0, [Some(None); 4]),
            (
                "ld r1, i0[r0.rg]\nmovx o0.rb, r1 | mov o0.a, r1",
                0,
                [Some(None), None, Some(None), Some(Some(0))],
            ),
            ("ld r1, i0[r0.rg].bgra\nmovx o0, r1", 0, [None, Some(None), None, Some(None)]),
        ] {
            assert_eq!(assembled(source), Some((output, channels)), "{source}");
        }
        let source = "ps_3_0\ndcl vPos.xy\ndcl_2d s0\ntexld r0, vPos, s0\nmov oC0, r0\n";
        let image = ps::compile(source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Program::new(image).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(copied(&program), Some((0, [Some(None); 4])));
    }

    #[test]
    fn nothing_else_is() {
        for source in [
            "movx o0, r0",
            "ld r1, i0(r0.rg)\nmovx o0, r1",
            "ld r1, i0[r0.rg]\nmovx o0, r1\nmovx o1, r1",
            "ld r1, i0[r0.rg]\nadd r1, r1, r1\nmovx o0, r1",
            "add r2, r0, r0\nld r1, i0[r2.rg]\nmovx o0, r1",
            "ld r1, i0[r0.rg]\nld r1, i0[r1.rg]\nmovx o0, r1",
            "ld r1, i0[r0.rg] @ignore_uncovered\nmovx o0, r1",
            "ld r1, i0[r0.rg]\n(p.r) movx o0, r1",
            "ld r1, i0[r0.rg]\ntexkill r1\nmovx o0, r1",
            "ld r1, i0[r0.rg]\nrep 2\nmovx o0, r1\nendrep\nend",
        ] {
            assert_eq!(assembled(source), None, "{source}");
        }
    }
}
