//! The library's own batch, for `benches/bars.py`: prints launches per second. The argument is the number
//! of batches.

use ctm::bench::{Batch, BenchError};
use ctm::engine::block::Block;
use std::time::Duration;

/// Launches of a batch.
const LAUNCHES: usize = 10_000;

fn main() -> Result<(), BenchError> {
    let batches = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut batch = Batch::new(LAUNCHES, 1, 0)?;
    let mut time = Duration::ZERO;
    for _ in 0..batches {
        time += batch.run(&Block::new())?;
    }
    println!("{}", (LAUNCHES * batches) as f64 / time.as_secs_f64());
    Ok(())
}
