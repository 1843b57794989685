//! Many small launches at once.

use super::BenchError;
use super::workloads::program;
use ctm_base::clock::Instant;
use ctm_base::random::Random;
use ctm_lang::program::Program;
use ctm_machine::engine::{BatchItem, Engine, LaunchError, NoProgress};
use ctm_machine::launch::{Constants, Domain, Launch};
use ctm_machine::memory::{
    ALIGNMENT, ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, array,
};
use std::sync::Arc;
use std::time::Duration;

/// Distinct launches of 8 x 8 points, each with its own memory, data and constants.
///
/// A program fetches one FLOAT32_4, does 16 MADs and writes one FLOAT32_4.
pub struct Batch {
    launches: Vec<Launch>,
    memories: Vec<Memory>,
}

/// Columns and rows of a launch.
const SIDE: u32 = 8;

/// The source of program `number`; no two are equal.
pub fn batch_source(number: usize) -> String {
    // The number's digits in base 32 choose the constants of the first instructions.
    let line = |n: usize| {
        let constant = if n < 4 { number >> (5 * n) & 31 } else { n };
        format!("mad r1, r1, c{constant}, c{n}\n")
    };
    format!("ld r1, i0[r0.rg]\n{}mov o0, r1\n", (0..16).map(line).collect::<String>())
}

impl Batch {
    /// `jobs` launches, of `programs` programs in turn, which are those from number `first` on.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(jobs: usize, programs: usize, first: usize) -> Result<Batch, BenchError> {
        let programs: Vec<Arc<Program>> = (0..programs.clamp(1, jobs.max(1)))
            .map(|number| program("batch", &batch_source(first + number)))
            .collect::<Result<_, BenchError>>()?;
        let sizes = ArenaSizes { gpu: 2 * u64::from(ALIGNMENT), gpub: 0, sys: 0, sysc: 0 };
        let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
        let mut random = Random::new(&[0xba7c4]);
        let mut float = || random.below(1 << 20) as f32 / (1 << 20) as f32;
        let mut batch =
            Batch { launches: Vec::with_capacity(jobs), memories: Vec::with_capacity(jobs) };
        for n in 0..jobs {
            let mut memory = Memory::new(&sizes)?;
            let base = memory.base(ArenaKind::Gpu);
            let surface = |base| Surface::new(base, SIDE, SIDE, Tiling::Linear, Format::Float32x4);
            let (input, output) = (surface(base), surface(base + ALIGNMENT));
            let data: Vec<u32> = (0..4 * SIDE * SIDE).map(|_| float().to_bits()).collect();
            array::write_array(&mut memory, &input, SIDE, SIDE, &data)?;
            let mut launch = Launch::new(programs[n % programs.len()].clone(), domain);
            let mut constants = Constants::default();
            for value in constants.float[..32].as_flattened_mut() {
                *value = float().to_bits();
            }
            launch.constants = Arc::new(constants);
            launch.inputs[0] = Some(input);
            launch.outputs[0] = Some(output);
            batch.launches.push(launch);
            batch.memories.push(memory);
        }
        Ok(batch)
    }

    /// Runs all launches as one batch; returns the time.
    ///
    /// # Errors
    /// The first launch that cannot be run.
    pub fn run(&mut self, engine: &dyn Engine) -> Result<Duration, BenchError> {
        let mut items: Vec<BatchItem> = self
            .launches
            .iter()
            .zip(&mut self.memories)
            .map(|(launch, memory)| BatchItem { launch, memory })
            .collect();
        let started = Instant::now();
        let results = engine.run_batch(&mut items, &NoProgress);
        let time = started.elapsed();
        for (number, result) in results.into_iter().enumerate() {
            result.map_err(|error: LaunchError| BenchError::Launch { number, error })?;
        }
        Ok(time)
    }

    /// The bits that launch `n` wrote.
    ///
    /// # Errors
    /// None, for a launch of the batch.
    pub fn output(&self, n: usize) -> Result<Vec<u32>, BenchError> {
        match self.launches[n].outputs[0] {
            Some(surface) => {
                let memory = &self.memories[n];
                Ok(array::read_array(memory, &surface, SIDE, SIDE)?)
            }
            None => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_machine::engine::block::Block;
    use ctm_machine::engine::reference::Reference;

    #[test]
    fn launches_are_distinct_and_engines_agree() {
        let outputs = |engine: &dyn Engine| -> Vec<Vec<u32>> {
            let mut batch = Batch::new(30, 7, 5).expect("a batch");
            batch.run(engine).expect("it runs");
            (0..30).map(|n| batch.output(n).expect("an output")).collect()
        };
        let block = outputs(&Block::new());
        assert!(block == outputs(&Reference::new()));
        for (n, output) in block.iter().enumerate() {
            assert!(output.iter().any(|&bits| bits != 0));
            assert!(!block[..n].contains(output), "{n}");
        }
        let sources: std::collections::HashSet<String> = (0..10_000).map(batch_source).collect();
        assert_eq!(sources.len(), 10_000);
    }
}
