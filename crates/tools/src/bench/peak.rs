//! The best rates of this machine, and the limit that bounds a job.

use super::Work;
use ctm_machine::engine::host;
use serde::Serialize;

/// The limits of what an engine runs on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Multiply-adds of single numbers per second.
    pub multiply_adds: f64,
    /// Bytes per second that a copy of a large buffer reads and writes.
    pub bytes: f64,
    /// Seconds of a small launch among others; 0 on the host.
    pub launch: f64,
    /// Whether it is a GPU, which a few thousand points do not fill.
    pub gpu: bool,
}

impl Peak {
    /// Measures the host with the threads of the current pool; takes a fraction of a second.
    pub fn of_host() -> Peak {
        let (multiply_adds, bytes) = (host::multiply_adds(), host::copied_bytes());
        Peak { multiply_adds, bytes, launch: 0.0, gpu: false }
    }

    /// The least seconds of a run, and the limit that bounds it. An instruction is at most four multiply-adds.
    pub fn least(&self, work: &Work) -> (f64, &'static str) {
        let arithmetic = 4.0 * work.instructions.saturating_sub(work.fetches) as f64;
        [
            (arithmetic / self.multiply_adds, "arithmetic"),
            (work.bytes as f64 / self.bytes, "memory"),
            (work.launches as f64 * self.launch, "launches"),
        ]
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_part_bounds() {
        let peak = Peak { multiply_adds: 400.0, bytes: 10.0, launch: 0.5, gpu: true };
        let work = |instructions, fetches, bytes, launches| {
            peak.least(&Work { instructions, fetches, bytes, launches, ..Work::default() })
        };
        assert_eq!(work(310, 10, 20, 1), (3.0, "arithmetic"));
        assert_eq!(work(310, 10, 40, 1), (4.0, "memory"));
        assert_eq!(work(310, 10, 40, 9), (4.5, "launches"));
    }
}
