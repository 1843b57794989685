//! Estimates, before a launch runs, how much work it is and what the work costs on each engine. The
//! choice of an engine depends on these estimates.

use super::Checked;
use crate::lower::Lowered;
use ctm_isa::ops::Effect;
use std::fmt;

/// How often a program with unbounded flow control is assumed to run through its instructions.
/// This is a guess: such a program jumps back, or has flow control that `lower::steps` does not
/// follow.
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
        let points = launch.domain.points();
        let most = launch.limits.instructions;
        match launch.steps() {
            Some(steps) => {
                Estimate { points, instructions: steps.instructions.min(most), bounded: true }
            }
            None => Estimate {
                points,
                instructions: length(&launch.lowered).saturating_mul(UNBOUNDED).min(most),
                bounded: false,
            },
        }
    }

    /// Point-instructions: points times instructions.
    pub fn work(&self) -> u64 {
        self.points.saturating_mul(self.instructions)
    }
}

/// The number of instructions of a program that have an effect.
pub fn length(lowered: &Lowered) -> u64 {
    let ops = lowered.ops.iter();
    let mut pcs: Vec<_> =
        ops.filter(|op| op.op.facts().effect != Effect::End).map(|op| op.pc).collect();
    pcs.dedup();
    pcs.len() as u64
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

/// The costs of work. Times are in microseconds, rates in point-instructions per microsecond.
///
/// The engines differ by factors of ten, so one set of round numbers works for all machines.
/// docs/gpu.md says where the numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The block engine's rate on one core.
    pub block: u64,
    /// The interpreter's rate on a GPU.
    pub interpreter: u64,
    /// The rate of programs that run as translated shaders.
    pub translated: u64,
    /// Time of a minimal launch on a GPU, with its uploads and readbacks.
    pub launch: u64,
    /// Time to open a GPU and to prepare the interpreter.
    pub open: u64,
    /// Time to compile the translated shader of a short program.
    pub compile: u64,
    /// Time that each instruction adds to `compile`.
    pub compile_instruction: u64,
}

/// The costs that `ctm` uses.
pub const COSTS: Costs = Costs {
    block: 500,
    interpreter: 12_000,
    translated: 40_000,
    launch: 100,
    open: 500_000,
    compile: 50_000,
    compile_instruction: 500,
};

/// How a GPU runs a program whose shader is not compiled yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// On the interpreter; nothing is compiled.
    Interpreter,
    /// On the interpreter, while a shader is compiled for later launches.
    Background,
    /// As a shader; the launch waits for the compiler.
    Wait,
}

/// Background compilation takes only another core's time. So it is worth starting when the time
/// saved exceeds this fraction (1 / `EARLY`) of the compile time.
const EARLY: u64 = 8;

impl Costs {
    /// The point-instructions from which an open GPU finishes a launch sooner than `cores` cores.
    pub fn worth_a_launch(&self, cores: u64) -> u64 {
        self.launch.saturating_mul(self.block.saturating_mul(cores))
    }

    /// The point-instructions from which opening a GPU is worth it, compared with `cores` cores.
    pub fn worth_opening(&self, cores: u64) -> u64 {
        self.open.saturating_mul(self.block.saturating_mul(cores))
    }

    /// How to run `work` point-instructions of a program with `length` instructions. The program
    /// has already executed `before` point-instructions on the interpreter.
    pub fn tier(&self, work: u64, before: u64, length: u64) -> Tier {
        // The time that the shader saves, compared with the interpreter.
        let saved = |work: u64| (work / self.interpreter).saturating_sub(work / self.translated);
        let instructions = self.compile_instruction.saturating_mul(length);
        let compile = self.compile.saturating_add(instructions);
        if saved(work) > compile {
            Tier::Wait
        } else if saved(work.saturating_add(before)) > compile / EARLY {
            Tier::Background
        } else {
            Tier::Interpreter
        }
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

    #[test]
    fn programs_rise_from_tier_to_tier() {
        let tier = |work, before| COSTS.tier(work, before, 100);
        // Nothing, a little, a lot at once.
        assert_eq!(tier(0, 0), Tier::Interpreter);
        assert_eq!(tier(100_000_000, 0), Tier::Interpreter);
        assert_eq!(tier(1_000_000_000, 0), Tier::Background);
        assert_eq!(tier(3_000_000_000, 0), Tier::Wait);
        // A little many times: earlier work never makes a launch wait.
        assert_eq!(tier(100_000_000, 1_000_000_000), Tier::Background);
        assert_eq!(tier(100_000_000, u64::MAX), Tier::Background);
        // Long programs take longer to compile.
        assert_eq!(COSTS.tier(3_000_000_000, 0, 512), Tier::Background);
        assert_eq!(COSTS.tier(u64::MAX, u64::MAX, u64::MAX), Tier::Interpreter);
    }
}
