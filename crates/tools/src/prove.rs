//! Proofs about two programs, or about the programs of two jobs: equal for all inputs, or not.
//!
//! A [`Pair`] has both programs with their surroundings: which inputs they share, which constants are known.
//! [`Pair::prove`] gives an [`Answer`] and, where the engine `block` confirms it, the counterexample as two jobs.
//!
//! # Examples
//! ```
//! use ctm_base::stop::Stop;
//! use ctm_lang::{asm::assemble, program::Program};
//! use ctm_tools::prove::{Answer, Options, Pair};
//! use std::sync::Arc;
//!
//! let program = |text: &str| Arc::new(Program::new(assemble(text, "a.dpp").unwrap()).unwrap());
//! let pair = Pair::of_programs([program("mul o0, r1, 2"), program("add o0, r1, r1")], true);
//! assert_eq!(pair.prove(&Options::default(), Stop::never()).answer, Answer::Proved);
//! ```

mod shown;
mod surroundings;
mod text;

use ctm_base::stop::Stop;
use ctm_isa::isa::TEMPORARIES;
use ctm_jobs::job::{Buffer, Content, Job, Pass};
use ctm_lang::program::Program;
use ctm_machine::launch::FloatMode;
pub use ctm_prove::{Answer, Counterexample, Difference, Options, Set, Setup, Undecided};
use ctm_prove::{Float, Numbers, Start};
pub use shown::Shown;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::Arc;
pub use surroundings::{OutsideRange, Surroundings, surroundings};
pub use text::{text, to_json};

/// Why a job cannot be a side of a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    /// It has more than one launch, or none.
    #[error("{}: it has {launches} launches, expected one", file.display())]
    Launches {
        /// The job file.
        file: PathBuf,
        /// Its launches.
        launches: u64,
    },
    /// The rules are those of mode exact.
    #[error(
        "{}: the rules `bits` are for mode exact, the job has mode {}",
        file.display(),
        mode.name()
    )]
    Mode {
        /// The job file.
        file: PathBuf,
        /// Its mode.
        mode: FloatMode,
    },
}

/// Two programs with their surroundings.
pub struct Pair {
    programs: [Arc<Program>; 2],
    setups: [Setup; 2],
    of_jobs: bool,
}

impl Pair {
    /// Programs without jobs. Constants without a value in the file, the contents of surfaces and of temporaries are
    /// unknown, the same for both. Two shaders share uniforms, varyings and samplers by name. Others share registers
    /// by number; if `point`, temporary 0 of both starts with the point's position, else it is unknown, too.
    pub fn of_programs(programs: [Arc<Program>; 2], point: bool) -> Pair {
        let setups = Setup::by_name(programs.each_ref().map(|program| &**program));
        let setups = setups.unwrap_or_else(|| {
            programs.each_ref().map(|program| {
                let mut setup = Setup::of(program);
                let temps = u8::from(point)..TEMPORARIES as u8;
                for temp in temps {
                    setup.start.push((temp, Start::Data(temp.into())));
                    setup.names.data.insert(temp.into(), format!("r{temp}"));
                }
                setup
            })
        });
        Pair { programs, setups, of_jobs: false }
    }

    /// Two programs of one shader: [`Pair::of_programs`], without the outputs that one of them does not write
    /// ([`Setup::of_one_shader`]).
    pub fn of_one_shader(programs: [Arc<Program>; 2]) -> Pair {
        let Pair { programs, setups, of_jobs } = Pair::of_programs(programs, true);
        let setups = Setup::of_one_shader(setups, programs.each_ref().map(|program| &**program));
        Pair { programs, setups, of_jobs }
    }

    /// The programs of two jobs, with the jobs' constants. Temporaries with equal data are the same unknown, and so
    /// are surfaces of equal format, size, rule and content. Outputs count in the channels of their formats.
    ///
    /// # Errors
    /// A job has not exactly one launch, or a mode that the rules of `set` are not for.
    pub fn of_jobs(jobs: [&Job; 2], set: Set) -> Result<Pair, PairError> {
        for job in jobs {
            let (file, launches) = (job.file.clone(), job.launches());
            if job.passes.len() != 1 || launches != 1 {
                return Err(PairError::Launches { file, launches });
            }
            if set == Set::Bits && job.mode != FloatMode::Exact {
                return Err(PairError::Mode { file, mode: job.mode });
            }
        }
        let (mut data, mut surfaces) = (Numbers::default(), Numbers::default());
        let setups = jobs.map(|job| {
            let pass = &job.passes[0];
            let mut setup = Setup::of(&pass.program);
            constants(&mut setup, pass);
            setup.observed = observed(job, pass);
            for initial in &pass.initial {
                let n = data.of(&initial.data);
                setup.start.push((initial.temp, Start::Data(n)));
            }
            // A surface that no input is bound to is like no other.
            for (n, surface) in setup.surfaces.iter_mut().enumerate() {
                *surface = u32::MAX - n as u32;
            }
            for &(slot, buffer) in &pass.inputs {
                let buffer = &job.buffers[buffer];
                if let Some(surface) = setup.surfaces.get_mut(slot as usize) {
                    *surface = surfaces.of(seen(buffer));
                }
            }
            if let Some(interface) = &pass.program.image().interface {
                setup.name(interface);
            }
            setup
        });
        let programs = jobs.map(|job| Arc::clone(&job.passes[0].program));
        Ok(Pair { programs, setups, of_jobs: true })
    }

    /// Proves them equal for all inputs, or finds an input on which they are not.
    pub fn prove(&self, options: &Options, stop: &Stop) -> Proof {
        let programs = self.programs.each_ref().map(|program| &**program);
        let answer = ctm_prove::prove(programs, self.setups.each_ref(), options, stop);
        let shown = match &answer {
            Answer::Different { of, at } => {
                Shown::new(&self.programs, &self.setups, of, at, options.set, stop)
            }
            Answer::Proved | Answer::EqualUpToRounding { .. } | Answer::NotDecided { .. } => None,
        };
        Proof { answer, set: options.set, of_jobs: self.of_jobs, shown }
    }
}

/// The answer about a [`Pair`].
pub struct Proof {
    /// The answer.
    pub answer: Answer,
    /// The rules.
    pub set: Set,
    /// Whether the constants are those of jobs.
    pub of_jobs: bool,
    /// The counterexample, if the answer is `different` and the engine `block` confirms it.
    pub shown: Option<Shown>,
}

/// The channels of each output of a pass that memory gets.
pub fn observed(job: &Job, pass: &Pass) -> [u8; 4] {
    let mut all = [0; 4];
    for &(slot, buffer) in &pass.outputs {
        let format = job.buffers[buffer].format;
        let channels = 15 >> (4 - format.channels());
        if let Some(observed) = all.get_mut(slot as usize) {
            *observed = channels & pass.mask.unwrap_or(15);
        }
    }
    all
}

/// All of a buffer that fetches from it depend on.
fn seen(buffer: &Buffer) -> impl Eq + Hash + '_ {
    let Buffer { format, width, height, wrap, content, .. } = buffer;
    let content = match content {
        Content::Zero => (Some([0; 4]), None),
        Content::Fill(units) => (Some(*units), None),
        Content::Array(units) => (None, Some(units)),
    };
    (*format, *width, *height, *wrap, content)
}

/// Gives a setup the constants of a pass.
pub fn constants(setup: &mut Setup, pass: &Pass) {
    let constants = &pass.constants;
    setup.floats = constants.float.iter().map(|value| value.map(Float::Bits)).collect();
    for (to, from) in setup.ints.iter_mut().zip(&constants.int) {
        *to = Some((from.count, from.start, from.step));
    }
    for (n, to) in setup.bools.iter_mut().enumerate() {
        *to = Some(constants.bool >> n & 1 != 0);
    }
}
