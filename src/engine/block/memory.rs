//! Memory, split for a launch: views of what it reads, slices of what it writes.

use super::io::{CONDITION, Input, Out, Shared, View};
use crate::engine::groups::Grouping;
use crate::engine::prepare::{self, Reader, Writer};
use crate::launch::Launch;
use crate::memory::{Memory, Surface, translate};
use std::ops::Range;

/// The most rows of the domain that one band covers: the height of the highest tile in memory.
const MAX_BAND: u32 = 32;

/// A part of the domain: the groups that one worker runs, and the memory they own.
pub(super) struct Band<'m> {
    /// Numbers of its groups.
    pub tiles: Range<u64>,
    /// Outputs 0 to 3 and the conditional buffer.
    pub outs: [Option<Out<'m>>; 5],
}

/// A written surface and the bytes that the launch can touch.
struct Written {
    number: usize,
    surface: Surface,
    span: Range<u64>,
}

fn intersect(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Splits memory for a launch and passes it to `run`. Bit n of `in_place`: the launch writes the
/// elements of input n at the same places.
pub(super) fn with_bands(
    launch: &Launch,
    memory: &mut Memory,
    grouping: Grouping,
    in_place: u16,
    run: impl FnOnce(&Shared, Vec<Band>),
) {
    let ranges: Vec<Range<u64>> = memory
        .ranges()
        .map(|(base, bytes)| base as u64..base as u64 + bytes.len() as u64)
        .filter(|range| !range.is_empty())
        .collect();
    let written: Vec<Written> = prepare::written(launch)
        .into_iter()
        .map(|(writer, surface, span)| Written {
            number: match writer {
                Writer::Output(n) => n,
                Writer::Condition => CONDITION,
            },
            surface,
            span,
        })
        .collect();
    let inside = |span: &Range<u64>| {
        ranges.iter().any(|range| range.start <= span.start && span.end <= range.end)
    };
    let read = prepare::read(launch);
    let direct = !launch.program.umrt()
        && read.iter().all(|(_, _, span)| inside(span))
        && written.iter().enumerate().all(|(n, one)| {
            inside(&one.span)
                && one.surface.elements_disjoint()
                && written[..n].iter().all(|other| !intersect(&one.span, &other.span))
        });
    if direct {
        let shape = Shape { launch, grouping, in_place, ranges };
        in_bands(&shape, memory, &written, &read, run);
    } else {
        // Writes wait until the end, so reads can go to memory directly.
        let memory = &*memory;
        let mut shared = Shared::new(launch, grouping, ranges);
        shared.memory = Some(memory);
        for (reader, surface, span) in read {
            if let Reader::Input(n) = reader {
                let len = (span.end - span.start) as usize;
                let bytes =
                    u32::try_from(span.start).ok().and_then(|start| memory.slice(start, len));
                shared.inputs[n] = Some(Input {
                    surface,
                    view: View { base: span.start as u32, bytes: bytes.unwrap_or(&[]) },
                    fallback: bytes.is_none().then_some(memory),
                    in_place: in_place >> n & 1 != 0,
                });
            }
        }
        let rows = band_rows(launch, grouping, &[]);
        let bands = tiles_of_bands(launch, grouping, rows)
            .into_iter()
            .map(|(_, tiles)| Band { tiles, outs: [const { None }; 5] })
            .collect();
        run(&shared, bands);
    }
}

/// Rows of a band: [`MAX_BAND`] if the domain has many rows, otherwise whole groups and whole tiles
/// of the written surfaces.
fn band_rows(launch: &Launch, grouping: Grouping, written: &[Written]) -> u32 {
    let domain = &launch.domain;
    if domain.j1 - domain.j0 >= 16 * MAX_BAND {
        return MAX_BAND;
    }
    let tile = |one: &Written| match one.surface.tiling.is_tiled() {
        true => 1 << translate::tile_height_log2(one.surface.format.bytes_log2()),
        false => 1,
    };
    written.iter().map(tile).fold(grouping.height, u32::max)
}

/// The bands of a domain: first row and groups.
fn tiles_of_bands(launch: &Launch, grouping: Grouping, band: u32) -> Vec<(u32, Range<u64>)> {
    let domain = &launch.domain;
    let columns = (domain.i1 / grouping.width - domain.i0 / grouping.width + 1) as u64;
    let rows_per_band = band / grouping.height;
    let first = domain.j0 / grouping.height;
    let last = domain.j1 / grouping.height;
    let mut bands = Vec::new();
    let mut row = first;
    while row <= last {
        let next = (row / rows_per_band + 1) * rows_per_band;
        let end = next.min(last + 1);
        let tiles = (row - first) as u64 * columns..(end - first) as u64 * columns;
        bands.push((row / rows_per_band * band, tiles));
        row = end;
    }
    bands
}

/// The bytes of a surface that hold the elements of rows `from..from + rows`.
fn band_bytes(one: &Written, from: u32, rows: u32) -> Range<u64> {
    let line = if one.surface.tiling.is_tiled() { 0x7ff } else { 0x1f };
    let at = |row: u32| match row {
        0 => one.span.start,
        row if row >= one.surface.height || row > translate::COORDINATE => one.span.end,
        row => ((one.surface.address(0, row) & !line) as u64).clamp(one.span.start, one.span.end),
    };
    at(from)..at(from + rows).max(at(from))
}

/// The properties of a launch that decide how memory is split.
struct Shape<'a> {
    launch: &'a Launch,
    grouping: Grouping,
    in_place: u16,
    ranges: Vec<Range<u64>>,
}

fn in_bands(
    shape: &Shape,
    memory: &mut Memory,
    written: &[Written],
    read: &[(Reader, Surface, Range<u64>)],
    run: impl FnOnce(&Shared, Vec<Band>),
) {
    let Shape { launch, grouping, in_place, .. } = *shape;
    // Copy what is both read and written first: every read sees memory as it was before the launch.
    let copies: Vec<Option<Vec<u8>>> = read
        .iter()
        .map(|(reader, _, span)| {
            let condition = *reader == Reader::Condition;
            let overlaps = written
                .iter()
                .any(|one| intersect(&one.span, span) && !(condition && one.number == CONDITION));
            let len = (span.end - span.start) as usize;
            overlaps
                .then(|| memory.slice(span.start as u32, len).map_or_else(Vec::new, <[u8]>::to_vec))
        })
        .collect();

    // Cut the written parts out of memory. What lies between them can be read by all.
    let band_rows = band_rows(launch, grouping, written);
    let parts = tiles_of_bands(launch, grouping, band_rows);
    let mut cuts: Vec<(Range<u64>, usize, usize)> = Vec::new();
    for (band, (row, _)) in parts.iter().enumerate() {
        for one in written {
            let bytes = band_bytes(one, *row, band_rows);
            if !bytes.is_empty() {
                cuts.push((bytes, band, one.number));
            }
        }
    }
    cuts.sort_by_key(|(bytes, ..)| bytes.start);
    let mut bands: Vec<Band> =
        parts.into_iter().map(|(_, tiles)| Band { tiles, outs: [const { None }; 5] }).collect();
    let mut gaps: Vec<View> = Vec::new();
    let mut cuts = cuts.into_iter().peekable();
    let spans: Vec<Range<u64>> = written.iter().map(|one| one.span.clone()).collect();
    for (base, bytes) in memory.ranges_mut(&spans) {
        let end = base as u64 + bytes.len() as u64;
        let (mut at, mut rest) = (base as u64, bytes);
        while let Some((cut, band, number)) = cuts.next_if(|(cut, ..)| cut.start < end) {
            let (gap, after) = rest.split_at_mut((cut.start - at) as usize);
            let (own, after) = after.split_at_mut((cut.end - cut.start) as usize);
            gaps.push(View { base: at as u32, bytes: gap });
            bands[band].outs[number] = Some(Out { start: cut.start as u32, bytes: own });
            (at, rest) = (cut.end, after);
        }
        gaps.push(View { base: at as u32, bytes: rest });
    }
    let mut shared = Shared::new(launch, grouping, shape.ranges.clone());
    for ((reader, surface, span), copy) in read.iter().zip(&copies) {
        let view = match copy {
            Some(bytes) => View { base: span.start as u32, bytes },
            None => gaps
                .iter()
                .copied()
                .find(|gap| {
                    let (start, len) = (gap.base as u64, gap.bytes.len() as u64);
                    start <= span.start && span.end <= start + len
                })
                .unwrap_or(View { base: 0, bytes: &[] }),
        };
        match *reader {
            Reader::Input(n) => {
                shared.inputs[n] = Some(Input {
                    surface: *surface,
                    view,
                    fallback: None,
                    in_place: in_place >> n & 1 != 0,
                });
            }
            Reader::Condition => {
                let is_written = written.iter().any(|one| one.number == CONDITION);
                shared.condition = (!is_written || copy.is_some()).then_some(view);
            }
        }
    }
    run(&shared, bands);
}
