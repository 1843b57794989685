//! The choice of the engine for a launch, in one place.
//!
//! [`choose`] is a function of the launch, of what the user asked for and of what is known of the
//! adapter. Some facts appear only by trying: a shader that does not compile, memory that does not
//! fit, a device that is lost. The caller then adds the fact and asks again. This module knows no
//! memory and no adapter.

use super::estimate::{Costs, Estimate};
use super::{Checked, LaunchError, Why};
use crate::launch::FloatMode;

/// The engine that the user asked for, of those that leave a choice.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    /// `auto`: the CPU or a GPU, by these costs and the number of CPU cores.
    Auto(&'a Costs, u64),
    /// `gpu`: the interpreter until the program has a shader.
    Gpu,
    /// `translated`: a shader if the program has one.
    Translated,
    /// `interpreter`.
    Interpreter,
}

/// The state of the adapter.
#[derive(Clone, Copy)]
pub enum Adapter<'a> {
    /// None can be used, for this reason.
    None(&'a str),
    /// Not opened yet. The CPU has run `missed` point-instructions that an open GPU would have run
    /// faster.
    Closed {
        /// Point-instructions.
        missed: u64,
    },
    /// Open.
    Open,
    /// Failed, or refused this launch. Nothing of the launch has been written.
    Failed {
        /// The error.
        error: &'a LaunchError,
        /// Whether the block engine may run what the adapter cannot.
        fallback: bool,
    },
}

/// The facts that the choice depends on besides the launch.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The engine that the user asked for.
    pub asked: Asked<'a>,
    /// The adapter.
    pub adapter: Adapter<'a>,
    /// The reason why the launch has no shader, if that was found by trying.
    pub no_shader: Option<&'a Why>,
    /// The reason why the adapter cannot hold what the launch touches, if that was found by trying.
    pub too_large: Option<&'a Why>,
}

/// The engine that runs a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// The block engine.
    Block,
    /// The interpreter.
    Interpreter,
    /// A shader of the program. Whether to wait for the compiler is [`Costs::wait`].
    Shader,
}

/// The engine that runs a launch, and the reason if there was a choice.
///
/// # Errors
/// The adapter's error, if no other engine may run the launch.
pub fn choose(
    launch: &Checked<'_>,
    facts: &Facts<'_>,
) -> Result<(Runner, Option<Why>), LaunchError> {
    let block = |why| Ok((Runner::Block, Some(why)));
    let interpreter = |why| Ok((Runner::Interpreter, Some(why)));
    if let Adapter::Failed { error, fallback } = facts.adapter {
        let kind = taken_over(error).filter(|_| fallback).ok_or_else(|| error.clone())?;
        return block(Why::new(kind, error));
    }
    if let Asked::Auto(costs, cores) = facts.asked {
        let estimate = || {
            let estimate = Estimate::of(launch);
            (estimate.to_string(), estimate.work())
        };
        if let Some(why) = on_cpu(costs, cores, &facts.adapter, estimate) {
            return block(why);
        }
    }
    if launch.mode == FloatMode::Chip {
        return block(Why::new("mode chip", "no GPU has the arithmetic of mode chip"));
    }
    if launch.program.sharing().is_some() {
        let reason = "groups share registers, so one SIMD is one chain of groups";
        return block(Why::new("data sharing", reason));
    }
    if launch.reads_back() {
        // On the GPU, writes take effect only at the end of the launch.
        return block(Why::new("reads back", "points can fetch what they write uncached"));
    }
    if let Some(why) = facts.too_large {
        return block(why.clone());
    }
    if matches!(facts.asked, Asked::Interpreter) {
        return Ok((Runner::Interpreter, None));
    }
    if launch.never_runs() {
        return interpreter(Why::new("nothing to run", "no group can run"));
    }
    if launch.statistics {
        let reason = "the launch asks for statistics, which shaders of programs do not keep";
        return interpreter(Why::new("statistics", reason));
    }
    if let Some(why) = facts.no_shader {
        return interpreter(why.clone());
    }
    let reason = match facts.asked {
        Asked::Translated | Asked::Interpreter => "the program translates".to_string(),
        Asked::Gpu | Asked::Auto(..) => {
            format!("{}, with a shader of their own", Estimate::of(launch))
        }
    };
    Ok((Runner::Shader, Some(Why::new("translated", reason))))
}

/// The reason why engine `auto` runs work on the CPU, if it does: a launch, or the launches of a
/// batch together. `estimate` returns the work in words and its point-instructions.
pub fn on_cpu(
    costs: &Costs,
    cores: u64,
    adapter: &Adapter<'_>,
    estimate: impl FnOnce() -> (String, u64),
) -> Option<Why> {
    if let Adapter::None(reason) = adapter {
        return Some(Why::new(Why::NO_GPU, reason));
    }
    let (text, work) = estimate();
    let (launch, opening) = (costs.worth_a_launch(cores), costs.worth_opening(cores));
    let least = match *adapter {
        _ if work < launch => format!("{launch} of a launch on"),
        Adapter::Closed { missed } if work.saturating_add(missed) < opening => {
            format!("{opening} of opening")
        }
        _ => return None,
    };
    Some(Why::new(Why::SMALL, format!("{text}, below the {least} a GPU")))
}

/// The reason why the block engine may run a launch after an error, if it may.
fn taken_over(error: &LaunchError) -> Option<&'static str> {
    match error {
        LaunchError::Unsupported { .. } => Some("the adapter has too little"),
        LaunchError::Adapter { error, .. } if error.is_too_little() => {
            Some("the adapter has too little")
        }
        LaunchError::Adapter { error, .. } if error.is_lost() => Some("the GPU was lost"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::GpuError;
    use crate::engine::estimate::COSTS;
    use crate::launch::{Constants, Domain, Launch};
    use crate::memory::{Format, Surface, Tiling};
    use ctm_lang::program::Program;
    use std::sync::Arc;

    /// A launch and the facts; what runs it, and why.
    type Row<'a> = (&'a Launch, Asked<'a>, Adapter<'a>, Option<&'a Why>, Runner, &'a str);

    /// A launch of 64 points.
    fn launch(source: &str) -> Launch {
        let image = ctm_lang::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Arc::new(Program::new(image).unwrap_or_else(|e| panic!("{e}")));
        let domain = Domain { i0: 0, j0: 0, i1: 31, j1: 1 };
        let mut launch = Launch::new(program.clone(), domain);
        launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
        let surface = Surface::new(0x1000, 32, 2, Tiling::Linear, Format::Float32x1);
        launch.outputs[0] = Some(surface);
        launch.inputs[0] = Some(surface);
        launch
    }

    #[test]
    fn every_fact_has_its_runner_and_its_reason() {
        use Asked::{Auto, Gpu, Interpreter, Translated};
        let plain = launch("add r1, r0, r0\nmov o0, r1");
        let source = ".umrt\nld r1, i0[r0.rg]\nmov o0.rgb, r1.rgb | mov o0.a, 0";
        let reads_back = launch(source);
        let counted = Launch { statistics: true, ..plain.clone() };
        let empty = Launch { domain: Domain { i0: 1, j0: 0, i1: 0, j1: 0 }, ..plain.clone() };
        let costs = Costs { block: 1, launch: 10, open: 100, ..COSTS };
        let tried = Why::new("compiling", "its shader is being compiled meanwhile");
        let adapter = |error| LaunchError::Adapter { engine: "interpreter", error };
        let lost = adapter(GpuError::Lost { adapter: "card".into(), reason: "unplugged".into() });
        let full = adapter(GpuError::OutOfMemory { what: "a buffer".into(), bytes: 0 });
        let broken = adapter(GpuError::Internal { what: "it".into(), message: "no".into() });
        let many = LaunchError::Unsupported { engine: "interpreter", reason: "no room".into() };
        let (none, open) = (Adapter::None("no GPU here"), Adapter::Open);
        let closed = |missed| Adapter::Closed { missed };
        let failed = |error| Adapter::Failed { error, fallback: true };
        // What runs the launch, the kind of reason and the reason.
        let chosen = |launch: &Launch, asked, adapter, no_shader| {
            let launch = Checked::new(launch).unwrap_or_else(|e| panic!("{e}"));
            let facts = Facts { asked, adapter, no_shader, too_large: None };
            let (runner, why) = choose(&launch, &facts)?;
            let why = why.map_or(String::new(), |why| format!("{}: {}", why.kind, why.reason));
            Ok::<_, LaunchError>((runner, why))
        };
        let estimate = "64 points x 2 instructions";
        let small = format!("small: {estimate}, below the");
        let shader = format!("translated: {estimate}, with a shader of their own");
        let back = "reads back: points can fetch what they write uncached";
        let little = "the adapter has too little:";
        let gone =
            "the GPU was lost: engine interpreter: adapter card: the device was lost: unplugged";
        let keeps = "statistics: the launch asks for statistics, \
                     which shaders of programs do not keep";
        let nothing = "nothing to run: no group can run";
        let compiling = "compiling: its shader is being compiled meanwhile";
        let translates = "translated: the program translates";
        let (block, interpreter) = (Runner::Block, Runner::Interpreter);
        let on_one_core = Auto(&costs, 1);
        let shares = launch(".sharing global=1\nadd g0.r, g0.r, r0.r\nend");
        let sharing = "data sharing: groups share registers, so one SIMD is one chain of groups";
        let chip = Launch { mode: FloatMode::Chip, ..plain.clone() };
        let card = "mode chip: no GPU has the arithmetic of mode chip";
        let rows: [Row; 33] = [
            (&chip, Gpu, open, None, block, card),
            (&chip, Translated, open, None, block, card),
            (&chip, Interpreter, open, None, block, card),
            (&chip, on_one_core, open, None, block, card),
            (&shares, Gpu, open, None, block, sharing),
            (&shares, Translated, open, None, block, sharing),
            (&shares, Interpreter, open, None, block, sharing),
            (&shares, on_one_core, open, None, block, sharing),
            (&plain, on_one_core, none, None, block, "no GPU: no GPU here"),
            (&reads_back, on_one_core, none, None, block, "no GPU: no GPU here"),
            (
                &plain,
                Auto(&costs, 100),
                open,
                None,
                block,
                &format!("{small} 1000 of a launch on a GPU"),
            ),
            (
                &plain,
                Auto(&costs, 100),
                closed(u64::MAX),
                None,
                block,
                &format!("{small} 1000 of a launch on a GPU"),
            ),
            (
                &plain,
                Auto(&costs, 2),
                closed(71),
                None,
                block,
                &format!("{small} 200 of opening a GPU"),
            ),
            (&plain, Auto(&costs, 2), closed(72), None, Runner::Shader, &shader),
            (&plain, on_one_core, open, None, Runner::Shader, &shader),
            (&reads_back, on_one_core, closed(100), None, block, back),
            (&plain, on_one_core, failed(&lost), None, block, gone),
            (&plain, Gpu, open, None, Runner::Shader, &shader),
            (&plain, Gpu, open, Some(&tried), interpreter, compiling),
            (&counted, Gpu, open, None, interpreter, keeps),
            (&empty, Gpu, open, None, interpreter, nothing),
            (&reads_back, Gpu, open, None, block, back),
            (&plain, Translated, open, None, Runner::Shader, translates),
            (&plain, Translated, open, Some(&tried), interpreter, compiling),
            (&counted, Translated, open, Some(&tried), interpreter, keeps),
            (&empty, Translated, open, None, interpreter, nothing),
            (&plain, Interpreter, open, None, interpreter, ""),
            (&counted, Interpreter, open, None, interpreter, ""),
            (&reads_back, Interpreter, open, None, block, back),
            (&reads_back, Gpu, failed(&lost), None, block, gone),
            (
                &plain,
                Gpu,
                failed(&full),
                None,
                block,
                &format!("{little} engine interpreter: out of GPU memory: a buffer"),
            ),
            (
                &plain,
                Interpreter,
                failed(&many),
                None,
                block,
                &format!("{little} engine interpreter: no room"),
            ),
            (&plain, Translated, failed(&lost), Some(&tried), block, gone),
        ];
        for (n, (launch, asked, adapter, no_shader, runner, why)) in rows.into_iter().enumerate() {
            let expected = Ok((runner, why.to_string()));
            assert_eq!(chosen(launch, asked, adapter, no_shader), expected, "row {n}");
        }
        // Errors that are no lack of the adapter, and adapters without a fallback.
        assert_eq!(chosen(&plain, Gpu, failed(&broken), None), Err(broken.clone()));
        for error in [&lost, &full, &many, &broken] {
            let adapter = Adapter::Failed { error, fallback: false };
            assert_eq!(chosen(&plain, Gpu, adapter, None), Err(error.clone()));
        }
    }

    #[test]
    fn the_cpu_runs_what_is_too_little_for_a_gpu() {
        let say = |work, adapter| on_cpu(&COSTS, 2, &adapter, || ("2 launches".to_string(), work));
        let below = |what: &str| Some(Why::new("small", format!("2 launches, below the {what}")));
        let launch = below("100000 of a launch on a GPU");
        let closed = |missed| Adapter::Closed { missed };
        assert_eq!(say(49_152, Adapter::Open), launch);
        assert_eq!(say(49_152, closed(u64::MAX)), launch);
        assert_eq!(say(100_000, Adapter::Open), None);
        let opening = below("500000000 of opening a GPU");
        assert_eq!(say(100_000, closed(0)), opening);
        assert_eq!(say(100_000, closed(499_899_999)), opening);
        assert_eq!(say(100_000, closed(499_900_000)), None);
        assert_eq!(say(500_000_000, closed(0)), None);
    }
}
