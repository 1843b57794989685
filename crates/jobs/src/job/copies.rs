//! Several copies of a job side by side in the same launches, as work for machines that one does not fill.

use super::surface::MAX_EXTENT;
use super::{Content, Job};
use ctm_machine::launch::{Initial, MAX_BOUND};
use ctm_machine::memory::surface::MAX_SIZE;
use std::sync::Arc;

/// Rows of `width` values, `across` times beside each other and `down` times below each other.
fn tiled<T: Copy>(rows: &[T], width: usize, across: u32, down: u32) -> Arc<Vec<T>> {
    let wide: Vec<T> = rows
        .chunks(width)
        .flat_map(|row| row.iter().cycle().take(row.len() * across as usize))
        .copied()
        .collect();
    Arc::new(wide.repeat(down as usize))
}

impl Job {
    /// The job with `count` times the columns and rows in every domain and buffer. Each copy of a buffer has the
    /// contents of the whole, and starts where the one before it ends. A point finds in its copy what it finds without
    /// copies, as long as it fetches relative to its own place and within its copy. Nothing is expected or saved.
    ///
    /// `None` if so many copies do not fit into 4096 columns and rows, if a domain is empty, or if a buffer has a fixed
    /// address.
    pub fn copies(&self, count: u32) -> Option<Job> {
        let single = self.buffers.iter().any(|buffer| buffer.address.is_some());
        if single || self.passes.iter().any(|pass| pass.domain.is_empty()) {
            return None;
        }
        let domains = || self.passes.iter().map(|pass| pass.domain);
        let fits = |across: u32, down: u32| {
            let within = |size: u32, times: u32, most: u32| {
                u64::from(size) * u64::from(times) <= u64::from(most)
            };
            let room = |first: u32| (MAX_BOUND + 1).saturating_sub(first);
            self.buffers.iter().all(|buffer| {
                within(buffer.width, across, MAX_EXTENT)
                    && within(buffer.pitch, across, MAX_SIZE)
                    && within(buffer.height, down, MAX_EXTENT)
            }) && domains().all(|domain| {
                within(domain.width(), across, room(domain.i0))
                    && within(domain.height(), down, room(domain.j0))
            })
        };
        let columns = domains().map(|domain| domain.width()).max()?;
        let rows = domains().map(|domain| domain.height()).max()?;
        // As square as possible: engines run groups of 8 x 8 points.
        let shape = |&(across, down): &(u32, u32)| {
            (u64::from(columns) * u64::from(across)).abs_diff(u64::from(rows) * u64::from(down))
        };
        let arrangements = (1..=count)
            .filter(|across| count.is_multiple_of(*across))
            .map(|across| (across, count / across));
        let (across, down) =
            arrangements.filter(|&(across, down)| fits(across, down)).min_by_key(shape)?;
        let mut job = self.clone();
        job.expects.clear();
        for buffer in &mut job.buffers {
            if let Content::Array(units) = &buffer.content {
                let width = buffer.width as usize * buffer.format.channels() as usize;
                buffer.content = Content::Array(tiled(units, width, across, down));
            }
            buffer.width *= across;
            buffer.height *= down;
            buffer.pitch *= across;
            buffer.save = None;
            buffer.pictures = Default::default();
        }
        for pass in &mut job.passes {
            let domain = &mut pass.domain;
            for Initial { data, .. } in &mut pass.initial {
                *data = tiled(data, domain.width() as usize, across, down);
            }
            domain.i1 = domain.i0 + domain.width() * across - 1;
            domain.j1 = domain.j0 + domain.height() * down - 1;
        }
        Some(job)
    }
}
