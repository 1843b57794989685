//! Proves two programs equal, or finds an input on which they differ.

use crate::Undecided;
use crate::algebra;
use crate::cond::Cond;
use crate::evaluate::{POINTS, Sample, Values};
use crate::machine::{Results, Setup, execute, execute_by_shape};
use crate::rules::Set;
use crate::term::{Id, Terms};
use ctm_base::stop::Stop;
use ctm_isa::isa::{Body, FcOp, LETTERS};
use ctm_lang::program::Program;

/// The name of the result that the conditional operation tests.
pub const CONDITIONAL: &str = "the conditional value";
/// The name of the result that is 1 where the point is killed.
pub const KILLED: &str = "killed";
/// The beginning of the names of uncached writes' values; [`WHETHER`] comes before that of the others.
pub const UNCACHED: &str = "uncached write";
/// The beginning of the names of conditions: 1 where they hold.
pub const WHETHER: &str = "whether ";

/// The rules and bounds of a proof.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rules.
    pub set: Set,
    /// The most steps of terms.
    pub steps: u32,
    /// The quads of inputs that are tried where the terms differ.
    pub samples: u32,
    /// The seed of these inputs.
    pub seed: u64,
    /// Whether B was made of A: where A depends on no NaN, infinity or denormal, B's value counts even if
    /// it does. Else such inputs show nothing.
    pub refines: bool,
}

impl Default for Options {
    /// `values`, four million steps, 256 quads.
    fn default() -> Options {
        Options { set: Set::Values, steps: 4_000_000, samples: 256, seed: 1, refines: false }
    }
}

impl Options {
    /// The most steps of terms of loops that are not unrolled.
    pub fn steps_by_shape(&self) -> u32 {
        self.steps / PART_BY_SHAPE
    }
}

/// A result whose terms differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The result, such as `o0.r`.
    pub place: String,
    /// The smallest terms in it that differ, as text: A's and B's.
    pub terms: [String; 2],
}

/// An input on which the programs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The seed of [`Sample`].
    pub seed: u64,
    /// Whether the input has all kinds of bit patterns.
    pub hard: bool,
    /// The point of the quad.
    pub point: usize,
    /// The bits of A's and B's result; `None`: not written.
    pub bits: [Option<u32>; 2],
}

/// The answer about two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They are equal for all inputs, by the rules of the set.
    Proved,
    /// They differ on an input: the first such result.
    Different {
        /// The result.
        of: Difference,
        /// The input.
        at: Counterexample,
    },
    /// In exact arithmetic they are equal for all inputs; they are rounded differently. This is no proof.
    EqualUpToRounding {
        /// The results whose terms differ.
        of: Vec<Difference>,
        /// The probability that this is wrong is at most 2^-bits.
        bits: u32,
    },
    /// Not known.
    NotDecided {
        /// The results whose terms differ.
        of: Vec<Difference>,
        /// Whether inputs were tried: the results differ by no more than roundings.
        close: bool,
        /// Why there are no terms.
        reason: Option<Undecided>,
    },
}

/// Proves that two programs give the same results for all inputs, or finds an input for which they do
/// not. `setups` are their surroundings.
///
/// # Examples
/// ```
/// use ctm_base::stop::Stop;
/// use ctm_lang::asm::assemble;
/// use ctm_lang::program::Program;
/// use ctm_prove::{Answer, Options, Setup, Start, prove};
///
/// let program = |text: &str| Program::new(assemble(text, "a.dpp").unwrap()).unwrap();
/// let a = program("mov r1, 2\nmad o0, r0, r1, 0");
/// let b = program("add o0, r0, r0");
/// let setup = Setup { start: vec![(0, Start::Data(0))], ..Setup::default() };
/// let answer = prove([&a, &b], [&setup, &setup], &Options::default(), Stop::never());
/// assert_eq!(answer, Answer::Proved);
/// ```
pub fn prove(
    programs: [&Program; 2],
    setups: [&Setup; 2],
    options: &Options,
    stop: &Stop,
) -> Answer {
    if equal_by_shape(programs, setups, options, stop) {
        return Answer::Proved;
    }
    let mut terms = Terms::new(options.set, options.steps);
    let mut run = |n: usize| execute(&mut terms, programs[n], setups[n], stop);
    let results = match (run(0), run(1)) {
        (Ok(a), Ok(b)) => [a, b],
        (Err(reason), _) | (_, Err(reason)) => return undecided(reason),
    };
    let all = pairs(&mut terms, &results);
    compare(&mut terms, all, options, stop)
}

/// Whether two programs with loops are proved equal without unrolling them: what loops of equal shape leave is
/// equal. If not, [`prove`] unrolls them.
pub fn equal_by_shape(
    programs: [&Program; 2],
    setups: [&Setup; 2],
    options: &Options,
    stop: &Stop,
) -> bool {
    let has_loops = |program: &&Program| {
        program.instructions().iter().any(|instruction| match &instruction.body {
            Body::Fc(fc) => matches!(fc.op, FcOp::Loop | FcOp::Rep),
            Body::Alu(_) | Body::Tex(_) => false,
        })
    };
    if !programs.iter().all(has_loops) {
        return false;
    }
    let mut terms = Terms::new(options.set, options.steps_by_shape());
    let mut run = |n: usize| execute_by_shape(&mut terms, programs[n], setups[n], stop);
    let (Ok(a), Ok(b)) = (run(0), run(1)) else { return false };
    let all = pairs(&mut terms, &[a, b]);
    !terms.is_spent() && all.iter().all(|(_, [a, b])| a == b)
}

/// Compares results of two programs, each with its name: the terms of A and of B.
pub fn compare(
    terms: &mut Terms,
    pairs: Vec<(String, [Id; 2])>,
    options: &Options,
    stop: &Stop,
) -> Answer {
    compared(terms, pairs, options, stop).unwrap_or_else(undecided)
}

/// The answer where there are no terms.
pub fn undecided(reason: Undecided) -> Answer {
    Answer::NotDecided { of: Vec::new(), close: false, reason: Some(reason) }
}

/// The results of both programs side by side, with their names.
fn pairs(terms: &mut Terms, [a, b]: &[Results; 2]) -> Vec<(String, [Id; 2])> {
    let mut all = Vec::new();
    for (n, (a, b)) in a.outputs.iter().zip(&b.outputs).enumerate() {
        for (channel, (&a, &b)) in a.iter().zip(b).enumerate() {
            all.push((format!("o{n}.{}", LETTERS[channel]), [a, b]));
        }
    }
    all.push((CONDITIONAL.to_string(), [a.own, b.own]));
    let killed = [a.alive, b.alive].map(|alive| terms.not(alive));
    all.push((KILLED.to_string(), killed.map(|cond| terms.truth(cond))));
    let nothing = (Cond::FALSE, [Id(0); 4]);
    for n in 0..a.uncached.len().max(b.uncached.len()) {
        let [a, b] = [a, b].map(|results| results.uncached.get(n).copied().unwrap_or(nothing));
        all.push((
            format!("{WHETHER}{UNCACHED} {n} happens"),
            [a.0, b.0].map(|cond| terms.truth(cond)),
        ));
        for (letter, (&a, &b)) in LETTERS.iter().zip(a.1.iter().zip(&b.1)) {
            all.push((format!("{UNCACHED} {n}, channel {letter}"), [a, b]));
        }
    }
    all
}

/// The part of the steps that loops may take which are not unrolled.
const PART_BY_SHAPE: u32 = 4;

/// The quads that are tried at once: all values of all terms are in memory.
const QUADS: u32 = 4;

fn compared(
    terms: &mut Terms,
    mut all: Vec<(String, [Id; 2])>,
    options: &Options,
    stop: &Stop,
) -> Result<Answer, Undecided> {
    if terms.is_spent() {
        return Err(Undecided::TooLarge);
    }
    all.retain(|(_, [a, b])| a != b);
    if all.is_empty() {
        return Ok(Answer::Proved);
    }
    let difference = |(name, [a, b]): &(String, [Id; 2])| {
        let [a, b] = smallest(terms, *a, *b);
        Difference { place: name.clone(), terms: [a, b].map(|id| terms.text(id, 6)) }
    };
    let (mut close, mut odd) = (false, None);
    // Ordinary numbers first: what differs there is easier to understand.
    let hard = if options.set == Set::Bits { &[false, true][..] } else { &[false] };
    let samples = hard.iter().flat_map(|&hard| {
        (0..options.samples).step_by(QUADS as usize).map(move |first| {
            let seed = options.seed.wrapping_add(first.into());
            (Sample { seed, hard }, QUADS.min(options.samples - first) as usize)
        })
    });
    for (sample, quads) in samples {
        let mut values = Values::new(terms, &sample, quads);
        for pair in &all {
            stop.check()?;
            let [a, b] = pair.1.map(|id| values.of(id).to_vec());
            for (n, (a, b)) in a.into_iter().zip(b).enumerate() {
                let bits = [a.bits, b.bits];
                let seed = sample.seed.wrapping_add((n / POINTS) as u64);
                let at = Counterexample { seed, hard: sample.hard, point: n % POINTS, bits };
                match distance(bits, options.set, a.odd || b.odd) {
                    Distance::Unknown if options.refines && odd.is_none() && !a.odd => {
                        if matches!(distance(bits, options.set, false), Distance::Far) {
                            odd = Some((pair, at));
                        }
                    }
                    Distance::Unknown => {}
                    Distance::Close => close = true,
                    Distance::Far => return Ok(Answer::Different { of: difference(pair), at }),
                }
            }
        }
    }
    let of = all.iter().map(difference).collect();
    // In `bits` every rounding counts.
    if options.set == Set::Values {
        let ids: Vec<[Id; 2]> = all.iter().map(|pair| pair.1).collect();
        if let Some(bits) = algebra::equal(terms, &ids, options.seed, stop)? {
            return Ok(Answer::EqualUpToRounding { of, bits });
        }
    }
    Ok(match odd {
        Some((pair, at)) => Answer::Different { of: difference(pair), at },
        None => Answer::NotDecided { of, close, reason: None },
    })
}

/// How far two results are from each other.
enum Distance {
    /// The rules say nothing about such results.
    Unknown,
    /// At most some roundings.
    Close,
    Far,
}

/// Differences up to this part of the larger number can be roundings.
const ROUNDINGS: f32 = 1.0e-3;

fn distance(bits: [Option<u32>; 2], set: Set, odd: bool) -> Distance {
    let [Some(a), Some(b)] = bits else {
        return match (bits[0] == bits[1], odd && set == Set::Values) {
            (true, _) => Distance::Close,
            (false, true) => Distance::Unknown,
            (false, false) => Distance::Far,
        };
    };
    if a == b {
        return Distance::Close;
    }
    if set == Set::Bits {
        return Distance::Far;
    }
    if odd {
        return Distance::Unknown;
    }
    let [a, b] = [a, b].map(f32::from_bits);
    let near = (a - b).abs() <= ROUNDINGS * a.abs().max(b.abs()).max(1.0);
    if near { Distance::Close } else { Distance::Far }
}

/// The smallest parts of two terms that differ: where the same step has one operand that differs, the
/// operand.
fn smallest(terms: &Terms, mut a: Id, mut b: Id) -> [Id; 2] {
    loop {
        let [x, y] = [a, b].map(|id| terms.node(id));
        let [xs, ys] = [x, y].map(|node| Terms::operands(&node));
        if !terms.same_step(&x, &y) {
            return [a, b];
        }
        let mut differ = xs.iter().zip(&ys).filter(|(x, y)| x != y);
        match (differ.next(), differ.next()) {
            (Some((&x, &y)), None) => (a, b) = (x, y),
            // In a sum or product the order of the operands depends on their numbers.
            _ => {
                let only = |of: &[Id], other: &[Id]| {
                    let mut rest = other.to_vec();
                    let mut left = of.to_vec();
                    left.retain(|id| match rest.iter().position(|other| other == id) {
                        Some(n) => {
                            rest.remove(n);
                            false
                        }
                        None => true,
                    });
                    left
                };
                match (&only(&xs, &ys)[..], &only(&ys, &xs)[..]) {
                    (&[x], &[y]) => (a, b) = (x, y),
                    _ => return [a, b],
                }
            }
        }
    }
}
