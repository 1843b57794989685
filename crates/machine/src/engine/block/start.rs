//! The start values of temporaries of a group: coordinates, interpolants, initial data.

use super::code::Prepared;
use super::io::{self, Io};
use super::machine::Machine;
use super::rows::Row;
use crate::engine::groups::{SLOTS, Tile};
use crate::launch::Domain;
use crate::lower::NO_ROW;
use ctm_isa::float;

/// Sets the temporaries that the program reads to their values at the start of a point.
#[inline(always)]
pub(super) fn temporaries(m: &mut Machine, prepared: &Prepared, io: &Io, tile: Tile) {
    let launch = io.launch;
    let row_of = |temp: usize, channel: usize| prepared.lowered.temp_rows[4 * temp + channel];
    for &row in &prepared.read_first {
        m.rows[row as usize] = Row::ZERO;
    }
    let (x, y) = io::coordinates(io.grouping, tile);
    let (x, y) = (x.0.as_flattened(), y.0.as_flattened());
    for (row, index) in [(row_of(0, 0), x), (row_of(0, 1), y)] {
        if row != NO_ROW {
            let place = m.rows[row as usize].0.as_flattened_mut();
            for (place, &n) in place.iter_mut().zip(index) {
                *place = (n as f32).to_bits();
            }
        }
    }
    for (n, interpolant) in launch.interpolants.iter().flat_map(|all| all.iter()).enumerate() {
        for (channel, &[a, b, c]) in interpolant.iter().enumerate() {
            let row = row_of(n + 1, channel);
            if row == NO_ROW {
                continue;
            }
            let place = m.rows[row as usize].0.as_flattened_mut();
            for (place, (&i, &j)) in place.iter_mut().zip(x.iter().zip(y)) {
                let (i, j) = ((i as f32 + 0.5).to_bits(), (j as f32 + 0.5).to_bits());
                let ax = float::add(a, float::mul(b, i, false));
                *place = float::add(ax, float::mul(c, j, false));
            }
        }
    }
    for initial in &launch.initial {
        let rows = [0, 1, 2, 3].map(|channel| row_of(initial.temp as usize, channel));
        for eight in 0..SLOTS / 8 {
            let (i, j) = io.grouping.point(tile, 8 * eight);
            let Some(values) = consecutive(&initial.data, &launch.domain, i, j) else { continue };
            for (channel, &row) in rows.iter().enumerate() {
                if row != NO_ROW {
                    m.rows[row as usize].eights_mut()[eight] = values.map(|value| value[channel]);
                }
            }
        }
    }
}

/// The data of eight points of a line, the first of which is (i, j). A point outside the domain has
/// those of the nearest one inside. `None` if there are no data.
#[inline(always)]
fn consecutive(data: &[[u32; 4]], domain: &Domain, i: u32, j: u32) -> Option<[[u32; 4]; 8]> {
    let width = domain.width() as usize;
    let line = (j.clamp(domain.j0, domain.j1) - domain.j0) as usize * width;
    let line = data.get(line..line + width)?;
    let whole =
        i.checked_sub(domain.i0).and_then(|first| line.get(first as usize..)?.first_chunk());
    if let Some(values) = whole {
        return Some(*values);
    }
    let column = |n: u32| (i + n).clamp(domain.i0, domain.i1) - domain.i0;
    Some([0, 1, 2, 3, 4, 5, 6, 7].map(|n| line[column(n) as usize]))
}
