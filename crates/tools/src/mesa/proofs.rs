//! Proves each pass of a program equal to the one before, for all inputs.
//!
//! Listings run on terms (`symbolic`), with the operations that `interpret` has; machine code runs as any other
//! program does in a proof. As there, a value that depends on a register that nothing has written is undefined: a
//! later pass may change it.

use super::bisect::{Options, Skipped, Subject};
use super::constants::Known;
use super::listing::{File, Line, Statement};
use super::log::Logged;
use super::outcome::{OutputId, place};
use super::symbolic::{self, Failure, Setting, UNDEFINED};
use ctm_base::stop::{Stop, Stopped};
use ctm_isa::float;
use ctm_isa::isa::{LETTERS, TEMPORARIES};
use ctm_jobs::job::RunProgress;
use ctm_lang::program::interface::Kind;
use ctm_prove::term::{Id, Input, Node, Terms};
use ctm_prove::{
    Answer, Cond, Float, Setup, Start, Undecided, compare, defined, execute, execute_by_shape,
    undecided,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A pass that was compared with the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Its name.
    pub pass: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// The name of the pass that it is compared with: the last one before it that could be read.
    pub before: String,
    /// The line of the heading of the pass before.
    pub before_line: usize,
    /// The answer; A is the pass before.
    pub answer: Answer,
}

/// The proofs for one program of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proofs {
    /// The line where the program begins, from 1.
    pub line: usize,
    /// Its passes but the first, up to the first one that is different.
    pub compared: Vec<Compared>,
    /// The passes that could not be read.
    pub skipped: Vec<Skipped>,
}

impl Proofs {
    /// The pass that is different, if there is one.
    pub fn culprit(&self) -> Option<&Compared> {
        self.compared.last().filter(|last| matches!(last.answer, Answer::Different { .. }))
    }

    /// Whether a pass could not be read or was not decided.
    pub fn is_open(&self) -> bool {
        let open = |one: &Compared| matches!(one.answer, Answer::NotDecided { .. });
        !self.skipped.is_empty() || self.compared.iter().any(open)
    }
}

/// Proves each pass of a program equal to the one before. `progress` receives the number of the pass, and may stop
/// the search.
///
/// # Errors
/// If the search was stopped.
pub fn prove(
    logged: &Logged,
    options: &ctm_prove::Options,
    progress: &dyn RunProgress,
) -> Result<Proofs, Stopped> {
    let (stop, runs) = (progress.stop(), Options::default());
    let (subject, skipped) = Subject::new(logged, &runs, stop);
    let mut proofs = Proofs { line: logged.line, compared: Vec::new(), skipped };
    let passes = logged.passes.len() + 1;
    let mut previous = None;
    for index in 0..passes {
        progress.at(0, 1, index as u64, passes as u64);
        stop.check()?;
        let is_read = match subject.listings.get(index) {
            Some(listing) => listing.is_some(),
            None => subject.machine.is_some(),
        };
        if !is_read {
            continue;
        }
        let Some(before) = previous.replace(index) else { continue };
        let answer = if subject.is_same(before, index) {
            Answer::Proved
        } else {
            match pair(&subject, [before, index], options, stop) {
                Ok(answer) => answer,
                Err((_, Failure::Undecided(Undecided::Stopped(why)))) => return Err(why),
                Err((_, Failure::Undecided(why))) => undecided(why),
                Err((pass, Failure::Reason(reason))) => {
                    proofs.skipped.push(subject.skipped(pass, reason));
                    previous = Some(before).filter(|_| pass == index);
                    continue;
                }
            }
        };
        let ((pass, line), (before, before_line)) =
            (subject.heading(index), subject.heading(before));
        let is_wrong = matches!(answer, Answer::Different { .. });
        proofs.compared.push(Compared { pass, line, before, before_line, answer });
        if is_wrong {
            break;
        }
    }
    // Machine code that the log lacks has no line and comes last.
    proofs.skipped.sort_by_key(|skipped| skipped.line.wrapping_sub(1));
    Ok(proofs)
}

/// The results of a pass.
struct Outcome {
    outputs: BTreeMap<OutputId, [Id; 4]>,
    alive: Cond,
    endless: Cond,
}

/// Compares two passes. An error has the pass that it is about.
fn pair(
    subject: &Subject<'_>,
    passes: [usize; 2],
    options: &ctm_prove::Options,
    stop: &Stop,
) -> Result<Answer, (usize, Failure)> {
    if equal_by_shape(subject, passes, options, stop) {
        return Ok(Answer::Proved);
    }
    let terms = RefCell::new(Terms::new(options.set, options.steps));
    let run = |pass| outcome(subject, pass, &terms, false, stop).map_err(|failure| (pass, failure));
    let [before, after] = [run(passes[0])?, run(passes[1])?];
    let mut terms = terms.into_inner();
    name_inputs(&mut terms);
    let pairs = pairs(&mut terms, [&before, &after]);
    match compare(&mut terms, pairs, options, stop) {
        Answer::NotDecided { reason: Some(Undecided::Stopped(why)), .. } => {
            Err((passes[1], Failure::Undecided(why.into())))
        }
        answer => Ok(answer),
    }
}

/// Whether two passes with loops are proved equal without unrolling them.
fn equal_by_shape(
    subject: &Subject<'_>,
    passes: [usize; 2],
    options: &ctm_prove::Options,
    stop: &Stop,
) -> bool {
    let is_loop = |line: &Line| matches!(line.statement, Statement::Loop);
    let loops = |pass: &usize| match subject.listings.get(*pass).and_then(Option::as_ref) {
        Some(lines) => lines.iter().any(is_loop),
        // What has none costs nothing.
        None => true,
    };
    if !passes.iter().all(loops) {
        return false;
    }
    let terms = RefCell::new(Terms::new(options.set, options.steps_by_shape()));
    let run = |pass| outcome(subject, pass, &terms, true, stop);
    let (Ok(before), Ok(after)) = (run(passes[0]), run(passes[1])) else { return false };
    let mut terms = terms.into_inner();
    let pairs = pairs(&mut terms, [&before, &after]);
    !terms.is_spent() && pairs.iter().all(|(_, [a, b])| a == b)
}

/// The number of the uniform that a constant of the application is.
fn uniform(index: u16, channel: u8) -> u32 {
    u32::from(index) * 4 + u32::from(channel)
}

/// Names inputs as listings do, with the channels of machine code.
fn name_inputs(terms: &mut Terms) {
    for id in terms.ids() {
        match terms.node(id) {
            Node::Input(Input::Uniform(n, _)) => {
                let name = format!("const[{}].{}", n / 4, LETTERS[n as usize % 4]);
                terms.names.uniforms.insert(n, name);
            }
            Node::Input(Input::Data(n, _)) if n < UNDEFINED => {
                terms.names.data.insert(n, format!("input[{n}]"));
            }
            _ => {}
        }
    }
}

fn outcome(
    subject: &Subject<'_>,
    pass: usize,
    terms: &RefCell<Terms>,
    by_shape: bool,
    stop: &Stop,
) -> Result<Outcome, Failure> {
    let listing = subject.listings.get(pass).and_then(Option::as_ref);
    let (Some(lines), _) = (listing, &subject.machine) else {
        return machine(subject, pass, terms, by_shape, stop);
    };
    let constant = |index: u16, channel: u8| match subject.constant(pass, index, channel) {
        Known::Bits(bits) | Known::Printed(bits) => Node::Literal(bits),
        Known::State(index, channel) => {
            Node::Input(Input::Uniform(uniform(index, channel), Kind::Float))
        }
    };
    let turns = subject.turns(pass);
    let setting = Setting { terms, constant: &constant, turns, by_shape, stop };
    let found = symbolic::run(lines, &setting)?;
    let mut outputs = BTreeMap::new();
    for ((file, index), values) in found.outputs {
        let place = place(subject.logged, file, index);
        let absent = terms.borrow_mut().make(Node::Absent);
        let values = match place {
            // Depth is channel z of its output, and channel w from 'rewrite depth out' on.
            OutputId::Depth => {
                let depth = if values[2] == absent { values[3] } else { values[2] };
                [absent, absent, depth, absent]
            }
            OutputId::Color(_) => values,
        };
        outputs.insert(place, values);
    }
    Ok(Outcome { outputs, alive: found.alive, endless: found.endless })
}

fn machine(
    subject: &Subject<'_>,
    pass: usize,
    terms: &RefCell<Terms>,
    by_shape: bool,
    stop: &Stop,
) -> Result<Outcome, Failure> {
    let Some(machine) = &subject.machine else {
        return Err(Failure::Reason("there is no machine code".to_string()));
    };
    let mut setup = Setup::of(&machine.program);
    for (n, float) in setup.floats.iter_mut().enumerate() {
        *float = [0, 1, 2, 3].map(|channel| match subject.constant(pass, n as u16, channel) {
            Known::Bits(bits) | Known::Printed(bits) => Float::Bits(bits),
            Known::State(index, channel) => Float::Uniform(uniform(index, channel), Kind::Float),
        });
    }
    // Constants that the log does not have: loops of the most iterations, as the driver sets them.
    setup.ints.iter_mut().for_each(|int| *int = int.or(Some((255, 0, 0))));
    setup.bools.iter_mut().for_each(|bool| *bool = bool.or(Some(false)));
    for temp in 0..TEMPORARIES as u8 {
        let input = machine.arrives.iter().find(|(_, arrives)| **arrives == temp);
        let undefined = UNDEFINED | (File::COUNT as u32) << 16 | u32::from(temp);
        let data = input.map_or(undefined, |(input, _)| u32::from(*input));
        setup.start.push((temp, Start::Data(data)));
    }
    let execute = if by_shape { execute_by_shape } else { execute };
    let results = execute(&mut terms.borrow_mut(), &machine.program, &setup, stop)?;
    let written = machine.program.uses().outputs;
    let outputs = results.outputs.into_iter().enumerate();
    let outputs = outputs.filter(|(n, _)| written >> n & 1 != 0);
    Ok(Outcome {
        outputs: outputs.map(|(n, values)| (OutputId::Color(n as u16), values)).collect(),
        alive: results.alive,
        endless: Cond::FALSE,
    })
}

/// The values that the pass before defines, side by side.
fn pairs(terms: &mut Terms, [before, after]: [&Outcome; 2]) -> Vec<(String, [Id; 2])> {
    let absent = terms.make(Node::Absent);
    let is_open = |input| matches!(input, Input::Data(n, _) if n >= UNDEFINED);
    let ends = terms.not(before.endless);
    let mut all = Vec::new();
    let mut add = |terms: &mut Terms, place: String, [a, b]: [Id; 2], care: Cond| {
        let defined = defined(terms, a, is_open);
        let care = terms.and(care, defined);
        let values = [a, b].map(|value| terms.choose(care, value, absent));
        all.push((place, values));
    };
    let lives = [before, after].map(|pass| pass.alive);
    let alive = lives.into_iter().fold(ends, |all, alive| terms.and(all, alive));
    let depth = [before, after].iter().all(|pass| pass.outputs.contains_key(&OutputId::Depth));
    for (place, values) in &before.outputs {
        let others = after.outputs.get(place).copied().unwrap_or([absent; 4]);
        for (channel, (&a, b)) in values.iter().zip(others).enumerate() {
            let name = match place {
                OutputId::Color(n) => format!("output {n}.{}", LETTERS[channel]),
                // The depth that the machine gives is not among its outputs.
                OutputId::Depth if !depth => continue,
                OutputId::Depth => "depth".to_string(),
            };
            add(terms, name, [a, b], alive);
        }
    }
    let [no, yes] = [0, float::ONE].map(|bits| terms.literal(bits));
    let killed = lives.map(|alive| terms.choose(alive, no, yes));
    add(terms, "killed".to_string(), killed, ends);
    let endless = [before, after].map(|pass| terms.choose(pass.endless, yes, no));
    add(terms, "a loop without end".to_string(), endless, ends);
    all
}
