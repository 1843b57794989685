//! What this machine does at best, and which of its limits bounds a job.

use super::Work;
use ctm_base::clock::Instant;
use rayon::prelude::*;
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
}

/// Numbers in the arrays of a thread's chains: they fill the registers of any vector unit.
const WIDTH: usize = 64;

/// Steps of a chain.
const STEPS: usize = 1 << 14;

/// Bytes that a thread copies: more than a cache has.
const COPY: usize = 64 << 20;

/// The least seconds of three calls.
fn fastest(mut call: impl FnMut()) -> f64 {
    let timed = |_| {
        let started = Instant::now();
        call();
        started.elapsed().as_secs_f64()
    };
    (0..3).map(timed).fold(f64::INFINITY, f64::min)
}

/// A multiply-add for each number of an array, [`STEPS`] times.
#[multiversion::multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma", "x86_64+avx"))]
fn chain(numbers: &mut [f32; WIDTH]) {
    for _ in 0..STEPS {
        for number in &mut *numbers {
            *number = *number * 0.999 + 0.1;
        }
    }
}

impl Peak {
    /// Measures the host with the threads of the current pool; takes a fraction of a second.
    pub fn of_host() -> Peak {
        let threads = rayon::current_num_threads();
        let mut numbers = vec![[1.0; WIDTH]; 64 * threads];
        let steps = (STEPS * WIDTH * numbers.len()) as f64;
        let chains = fastest(|| numbers.par_iter_mut().for_each(chain));
        let from = vec![1u8; COPY];
        let mut to = vec![0u8; COPY];
        let part = COPY / threads;
        let copy = fastest(|| {
            to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| {
                to.copy_from_slice(from);
            });
        });
        Peak { multiply_adds: steps / chains, bytes: 2.0 * COPY as f64 / copy, launch: 0.0 }
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
        let peak = Peak { multiply_adds: 400.0, bytes: 10.0, launch: 0.5 };
        let work = |instructions, fetches, bytes, launches| {
            peak.least(&Work { instructions, fetches, bytes, launches, ..Work::default() })
        };
        assert_eq!(work(310, 10, 20, 1), (3.0, "arithmetic"));
        assert_eq!(work(310, 10, 40, 1), (4.0, "memory"));
        assert_eq!(work(310, 10, 40, 9), (4.5, "launches"));
    }

    #[test]
    fn the_host_does_something() {
        let peak = Peak::of_host();
        assert!(peak.multiply_adds > 1e6 && peak.bytes > 1e6, "{peak:?}");
        assert!(peak.multiply_adds.is_finite() && peak.bytes.is_finite(), "{peak:?}");
    }
}
