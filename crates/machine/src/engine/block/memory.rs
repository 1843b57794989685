//! Memory, split for a launch: views of inputs, slices of outputs.

use super::io::{CONDITION, Input, LaunchData, Out, View};
use crate::engine::Checked;
use crate::engine::checked::{Access, Reader, Writer, intersect};
use crate::memory::{Memory, translate};
use std::ops::Range;

/// The most rows of the domain that one band covers: the height of the highest tile in memory.
const MAX_BAND: u32 = 32;

/// A part of the domain: the groups that one worker runs, and the memory they own.
pub(super) struct Band<'m> {
    /// Numbers of its groups.
    pub tiles: Range<u64>,
    /// The parts of outputs 0 to 3 and of the conditional buffer.
    pub outs: [Vec<Out<'m>>; 5],
}

/// The index of a written surface among [`Band::outs`].
fn number(writer: Writer) -> usize {
    match writer {
        Writer::Output(n) => n,
        Writer::Condition => CONDITION,
    }
}

/// Splits memory for a launch and passes it to `run`.
pub(super) fn with_bands(
    launch: &Checked,
    memory: &mut Memory,
    run: impl FnOnce(&LaunchData, Vec<Band>),
) {
    let ranges: Vec<Range<u64>> = memory
        .ranges()
        .map(|(base, bytes)| base as u64..base as u64 + bytes.len() as u64)
        .filter(|range| !range.is_empty())
        .collect();
    let inside = |span: &Range<u64>| {
        ranges.iter().any(|range| range.start <= span.start && span.end <= range.end)
    };
    let (reads, writes) = (&launch.reads, &launch.writes);
    // With data sharing, the groups of a band run on several SIMDs.
    let direct = !launch.program.umrt()
        && launch.program.sharing().is_none()
        && reads.iter().all(|read| inside(&read.span))
        && writes.iter().all(|one| inside(&one.span) && one.surface.elements_disjoint());
    let in_place = launch.in_place();
    if let Some(cuts) = direct.then(|| cuts(launch)).flatten() {
        in_bands(launch, ranges, cuts, memory, run);
    } else {
        // Writes wait until the end, so reads can go to memory directly.
        let memory = &*memory;
        let mut shared = LaunchData::new(launch, ranges);
        shared.memory = Some(memory);
        for Access { by, surface, span } in reads {
            if let Reader::Input(n) = *by {
                let len = (span.end - span.start) as usize;
                let bytes =
                    u32::try_from(span.start).ok().and_then(|start| memory.slice(start, len));
                shared.inputs[n] = Some(Input {
                    surface: *surface,
                    view: View { base: span.start as u32, bytes: bytes.unwrap_or(&[]) },
                    complete: bytes.is_some(),
                    fallback: bytes.is_none().then_some(memory),
                    in_place: in_place >> n & 1 != 0,
                });
            }
        }
        let bands = tiles_of_bands(launch, band_rows(launch, &[]))
            .into_iter()
            .map(|(_, tiles)| Band { tiles, outs: Default::default() })
            .collect();
        run(&shared, bands);
    }
}

/// Rows of a band: [`MAX_BAND`] if the domain has many rows, otherwise whole groups and whole tiles
/// of the written surfaces.
fn band_rows(launch: &Checked, writes: &[Access<Writer>]) -> u32 {
    let domain = &launch.domain;
    if domain.j1 - domain.j0 >= 16 * MAX_BAND {
        return MAX_BAND;
    }
    let tile = |one: &Access<Writer>| {
        if one.surface.tiling.is_tiled() {
            1 << translate::tile_height_log2(one.surface.format.bytes_log2())
        } else {
            1
        }
    };
    writes.iter().map(tile).fold(launch.grouping.height, u32::max)
}

/// The bands of a domain: first row and groups.
fn tiles_of_bands(launch: &Checked, band: u32) -> Vec<(u32, Range<u64>)> {
    let (domain, grouping) = (&launch.domain, launch.grouping);
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
fn band_bytes(one: &Access<Writer>, from: u32, rows: u32) -> Range<u64> {
    let line = if one.surface.tiling.is_tiled() { 0x7ff } else { 0x1f };
    let at = |row: u32| match row {
        0 => one.span.start,
        row if row >= one.surface.height || row > translate::COORDINATE => one.span.end,
        row => ((one.surface.address(0, row) & !line) as u64).clamp(one.span.start, one.span.end),
    };
    at(from)..at(from + rows).max(at(from))
}

/// A part of a written surface.
struct Cut {
    bytes: Range<u64>,
    band: usize,
    /// An index of [`Band::outs`].
    number: usize,
}

/// The parts of the written surfaces that bands own, by address; `None` if they are not separate.
fn cuts(launch: &Checked) -> Option<Vec<Cut>> {
    let writes = &launch.writes;
    let band_rows = band_rows(launch, writes);
    let mut cuts = Vec::new();
    for (n, one) in writes.iter().enumerate() {
        let is_alone =
            (0..writes.len()).all(|other| other == n || !intersect(&one.span, &writes[other].span));
        // The rows of linear surfaces may lie between each other.
        if !is_alone && one.surface.tiling.is_tiled() {
            return None;
        }
        for (band, (first, _)) in tiles_of_bands(launch, band_rows).into_iter().enumerate() {
            let mut cut = |bytes: Range<u64>| {
                if !bytes.is_empty() {
                    cuts.push(Cut { bytes, band, number: number(one.by) });
                }
            };
            if is_alone {
                cut(band_bytes(one, first, band_rows));
                continue;
            }
            let rows = first.max(launch.domain.j0)..(first + band_rows).min(launch.domain.j1 + 1);
            rows.for_each(|row| cut(row_bytes(launch, one, row)));
        }
    }
    cuts.sort_by_key(|cut| cut.bytes.start);
    let separate = cuts.windows(2).all(|two| two[0].bytes.end <= two[1].bytes.start);
    separate.then_some(cuts)
}

/// The bytes of a linear surface that hold the elements of the domain in a row.
fn row_bytes(launch: &Checked, one: &Access<Writer>, row: u32) -> Range<u64> {
    let surface = &one.surface;
    if row >= surface.height || row > translate::COORDINATE {
        return 0..0;
    }
    let elements = (launch.domain.i1 + 1).min(surface.pitch);
    let start = surface.address(0, row) as u64;
    let end = start + (elements * surface.format.bytes_per_element()) as u64;
    start.max(one.span.start)..end.min(one.span.end)
}

/// Splits memory whose written parts are separate.
fn in_bands(
    launch: &Checked,
    ranges: Vec<Range<u64>>,
    cuts: Vec<Cut>,
    memory: &mut Memory,
    run: impl FnOnce(&LaunchData, Vec<Band>),
) {
    let (reads, writes, in_place) = (&launch.reads, &launch.writes, launch.in_place());
    // Copy what is both read and written first: every read sees memory as it was before the launch.
    let copies: Vec<Option<Vec<u8>>> = reads
        .iter()
        .map(|Access { by, span, .. }| {
            let overlaps = launch.overlaps.iter().any(|overlap| overlap.reader == *by);
            let len = (span.end - span.start) as usize;
            overlaps
                .then(|| memory.slice(span.start as u32, len).map_or_else(Vec::new, <[u8]>::to_vec))
        })
        .collect();

    // Cut the written parts out of memory. What lies between them can be read by all.
    let band_rows = band_rows(launch, writes);
    let parts = tiles_of_bands(launch, band_rows);
    let mut bands: Vec<Band> =
        parts.into_iter().map(|(_, tiles)| Band { tiles, outs: Default::default() }).collect();
    let mut gaps: Vec<View> = Vec::new();
    let mut cuts = cuts.into_iter().peekable();
    let spans: Vec<Range<u64>> = writes.iter().map(|one| one.span.clone()).collect();
    for (base, bytes) in memory.ranges_mut(&spans) {
        let end = base as u64 + bytes.len() as u64;
        let (mut at, mut rest) = (base as u64, bytes);
        while let Some(Cut { bytes: cut, band, number }) = cuts.next_if(|cut| cut.bytes.start < end)
        {
            let (gap, after) = rest.split_at_mut((cut.start - at) as usize);
            let (own, after) = after.split_at_mut((cut.end - cut.start) as usize);
            gaps.push(View { base: at as u32, bytes: gap });
            bands[band].outs[number].push(Out { start: cut.start as u32, bytes: own });
            (at, rest) = (cut.end, after);
        }
        gaps.push(View { base: at as u32, bytes: rest });
    }
    let mut shared = LaunchData::new(launch, ranges);
    for (Access { by, surface, span }, copy) in reads.iter().zip(&copies) {
        let view = match copy {
            Some(bytes) => View { base: span.start as u32, bytes },
            None => gaps
                .iter()
                .copied()
                .find(|gap| gap.contains(span))
                .unwrap_or(View { base: 0, bytes: &[] }),
        };
        match *by {
            Reader::Input(n) => {
                shared.inputs[n] = Some(Input {
                    surface: *surface,
                    view,
                    complete: view.contains(span),
                    fallback: None,
                    in_place: in_place >> n & 1 != 0,
                });
            }
            Reader::Condition => {
                let is_written = writes.iter().any(|one| one.by == Writer::Condition);
                shared.condition = (!is_written || copy.is_some()).then_some(view);
            }
        }
    }
    run(&shared, bands);
}
