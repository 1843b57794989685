//! The peak rates of this machine's processors and memory, measured by loops of their own. It is here
//! because the crates above are not compiled for speed.

use ctm_base::clock::Instant;
use rayon::prelude::*;

/// Numbers in the arrays of a thread's chains: enough to hide the latency of sums, few enough for the registers.
const WIDTH: usize = 96;

/// Steps of a chain.
const STEPS: usize = 1 << 14;

/// Bytes to copy: more than a cache has.
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

/// A product and a sum for each number of an array, [`STEPS`] times.
#[multiversion::multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma", "x86_64+avx"))]
fn chain(numbers: &mut [f32; WIDTH]) {
    for _ in 0..STEPS {
        for number in &mut *numbers {
            *number = *number * 0.999 + 0.1;
        }
    }
}

/// Products with a sum per second, each of them rounded, on the threads of the current pool.
pub fn multiply_adds() -> f64 {
    let mut numbers = vec![[1.0; WIDTH]; 64 * rayon::current_num_threads()];
    let steps = (STEPS * WIDTH * numbers.len()) as f64;
    steps / fastest(|| numbers.par_iter_mut().for_each(chain))
}

/// Bytes per second that a copy of 64 MiB reads and writes, on the threads of the current pool.
pub fn copied_bytes() -> f64 {
    let from = vec![1u8; COPY];
    let mut to = vec![0u8; COPY];
    let part = COPY / rayon::current_num_threads();
    let copy = fastest(|| {
        to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| {
            to.copy_from_slice(from);
        });
    });
    2.0 * COPY as f64 / copy
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_host_does_something() {
        for rate in [super::multiply_adds(), super::copied_bytes()] {
            assert!(rate > 1e6 && rate.is_finite(), "{rate}");
        }
    }
}
