//! Estimates, before a launch runs, how much work it is and what the work costs on each engine. The
//! choice of an engine depends on these estimates.

use super::Checked;
use ctm_isa::ops::Effect;
use std::fmt;

/// The number of times that a program with unbounded flow control is assumed to run its
/// instructions. This is a guess: such a program jumps back, or has flow control that
/// `lower::steps` does not follow.
const UNBOUNDED: u64 = 16;

/// The work of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Points of the domain.
    pub points: u64,
    /// The most instructions that a point can execute; loops are multiplied by their counts.
    pub instructions: u64,
    /// Whether flow control bounds `instructions`; otherwise it is a guess.
    pub bounded: bool,
}

impl Estimate {
    /// The estimate of a launch.
    pub fn of(launch: &Checked<'_>) -> Estimate {
        let (points, most) = (launch.domain.points(), launch.limits.instructions);
        let ops = launch.lowered.ops.iter();
        let mut pcs: Vec<u16> =
            ops.filter(|op| op.op.facts().effect != Effect::End).map(|op| op.pc).collect();
        pcs.dedup();
        let runs = launch.runs();
        let times = pcs.iter().map(|&pc| runs.map_or(UNBOUNDED, |runs| runs[pc as usize]));
        let instructions = times.fold(0, u64::saturating_add).min(most);
        Estimate { points, instructions, bounded: runs.is_some() }
    }

    /// Point-instructions: points times instructions.
    pub fn work(&self) -> u64 {
        self.points.saturating_mul(self.instructions)
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = if self.bounded { "" } else { "some " };
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        write!(
            f,
            "{} point{} x {some}{} instruction{}",
            self.points,
            plural(self.points),
            self.instructions,
            plural(self.instructions)
        )
    }
}

/// The costs of work. Times are in microseconds.
///
/// The engines differ by factors of ten, so one set of round numbers works for all machines.
/// The measured ones are in benches/RESULTS.md; [`COSTS`] has the reasons for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The block engine's rate on one core, in point-instructions per microsecond.
    pub block: u64,
    /// Time of a minimal launch on a GPU, with its uploads and readbacks.
    pub launch: u64,
    /// Time to open a GPU and to prepare the interpreter.
    pub open: u64,
    /// The point-instructions from which a launch on a GPU waits for its shader: the interpreter
    /// would take longer than the compiler and the shader together.
    pub wait: u64,
}

/// The costs that `ctm` uses. The block engine's rate is between those of kernels and of chains of MADs. The time
/// of a launch is a guess: small launches of nbody and jacobi on an H200 took 40 to 60 us beside their work. The
/// time to open a GPU is a guess, too. `wait` assumes a GPU at guard level 1: the interpreter runs 12,000
/// point-instructions in a microsecond, a shader 40,000, and compiling 100 instructions takes some 100 ms.
pub const COSTS: Costs = Costs { block: 500, launch: 100, open: 500_000, wait: 2_000_000_000 };

impl Costs {
    /// The point-instructions from which an open GPU finishes a launch sooner than `cores` cores.
    pub fn worth_a_launch(&self, cores: u64) -> u64 {
        self.launch.saturating_mul(self.block.saturating_mul(cores))
    }

    /// The point-instructions from which opening a GPU is worth it, compared with `cores` cores.
    pub fn worth_opening(&self, cores: u64) -> u64 {
        self.open.saturating_mul(self.block.saturating_mul(cores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Constants, Domain, Launch};
    use crate::memory::{Format, Surface, Tiling};
    use ctm_lang::program::Program;
    use std::sync::Arc;

    fn estimate(source: &str) -> Estimate {
        let image = ctm_lang::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Arc::new(Program::new(image).unwrap_or_else(|e| panic!("{e}")));
        let domain = Domain { i0: 0, j0: 0, i1: 31, j1: 1 };
        let mut launch = Launch::new(program.clone(), domain);
        launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
        launch.outputs[0] = Some(Surface::new(0, 32, 2, Tiling::Linear, Format::Float32x4));
        Estimate::of(&Checked::new(&launch).unwrap())
    }

    #[test]
    fn instructions_are_counted_once_and_in_loops_often() {
        let straight = estimate("add r1, r0, r0\nmul r1, r1, r1\nmov o0, r1");
        assert_eq!((straight.points, straight.instructions), (64, 3));
        assert_eq!(straight.work(), 192);
        assert_eq!(straight.to_string(), "64 points x 3 instructions");
        let looped = estimate("rep 100\nadd r1, r1, r0\nendrep\nmov o0, r1");
        assert!((200..=203).contains(&looped.instructions), "{looped}");
        assert!(looped.bounded);
    }

    #[test]
    fn what_has_no_bound_is_a_guess_within_the_budget() {
        let endless = estimate("again:\nadd r1, r1, r0\njump -> again\nend");
        assert!(!endless.bounded);
        assert_eq!(endless.instructions % UNBOUNDED, 0);
        let text = format!("64 points x some {} instructions", endless.instructions);
        assert_eq!(endless.to_string(), text);
    }

    #[test]
    fn small_launches_stay_on_the_cpu_and_many_cores_make_more_small() {
        assert_eq!(COSTS.worth_a_launch(2), 100_000);
        assert_eq!(COSTS.worth_a_launch(16), 800_000);
        assert_eq!(COSTS.worth_opening(2), 500_000_000);
    }
}
