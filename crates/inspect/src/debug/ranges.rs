//! Bounds of the values of a program for all points and inputs of its job, beside the values of one point.

use super::expression::Expression;
use super::session::Session;
use ctm_base::stop::Stop;
use ctm_isa::isa::Place;
use ctm_jobs::job::Job;
use ctm_lang::program::{Program, ValuePlace, VariableLocation};
use ctm_machine::launch::FloatMode;
use ctm_prove::ranges::{Range, Ranges};
use ctm_prove::term::{Id, Terms};
use ctm_prove::{Set, execute_seen};
use ctm_tools::prove::{Surroundings, surroundings};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::time::Duration;

/// The most steps of terms of a program, for a session waits for its bounds.
const STEPS: u32 = 200_000;
/// The longest that its bounds may take. So long that what is shown does not depend on the machine.
const LIMIT: Duration = Duration::from_secs(10);

/// The bounds of the values of each pass, once they are asked for.
pub(super) struct JobRanges {
    job: Option<Job>,
    around: OnceLock<Vec<Surroundings>>,
    passes: Vec<OnceLock<Values>>,
}

/// The bounds of channels of temporaries before instructions: by pc, temporary and channel. Empty if they are not known.
type Values = HashMap<(u32, u8, u8), Range>;

impl JobRanges {
    /// Those of a job; without one nothing is known.
    pub fn new(job: Option<&Job>) -> JobRanges {
        let passes = job.map_or(0, |job| job.passes.len());
        JobRanges {
            job: job.cloned(),
            around: OnceLock::new(),
            passes: (0..passes).map(|_| OnceLock::new()).collect(),
        }
    }

    fn of(&self, pass: usize) -> Option<&Values> {
        let job = self.job.as_ref()?;
        let around = self.around.get_or_init(|| surroundings(job).unwrap_or_default()).get(pass)?;
        let program = &job.passes[pass].program;
        Some(self.passes[pass].get_or_init(|| values(program, around).unwrap_or_default()))
    }
}

fn values(program: &Program, around: &Surroundings) -> Option<Values> {
    let stop = Stop::new().with_limit(LIMIT);
    let mut terms = Terms::new(Set::Bits, STEPS);
    let mut seen: HashSet<(u32, u8, u8, Id)> = HashSet::new();
    let used = usize::from(program.uses().highest_named_temp) + 1;
    let note = &mut |pc: u32, temps: &[[Id; 4]]| {
        for (n, channels) in (0..).zip(temps.iter().take(used)) {
            seen.extend((0..).zip(channels).map(|(channel, &id)| (pc, n, channel, id)));
        }
    };
    execute_seen(&mut terms, program, &around.setup, &stop, note).ok()?;
    if terms.is_spent() {
        return None;
    }
    let ranges = Ranges::new(&terms, &around.bounds, &stop).ok()?;
    let mut values = Values::new();
    for (pc, temp, channel, id) in seen {
        let range = values.entry((pc, temp, channel)).or_insert(Range::NOTHING);
        *range = range.or(ranges.of(id));
    }
    Some(values)
}

impl Session<'_> {
    /// The bounds of a channel of a temporary before the next instruction, for all points and inputs of the job; `None`:
    /// not known, or all numbers.
    pub fn range(&self, temp: u8, channel: u8) -> Option<Range> {
        if self.launch().launch().mode != FloatMode::Exact || self.moment().end.is_some() {
            return None;
        }
        let (pass, _) = self.plan().pass_of(self.position().launch);
        let values = self.plan().ranges.of(pass)?;
        let range = values.get(&(self.moment().group.pc(), temp, channel))?;
        let all = Some((f32::NEG_INFINITY, f32::INFINITY));
        (range.numbers() != all).then_some(*range)
    }

    /// The bounds of a value at a place.
    pub(super) fn range_at(&self, location: &VariableLocation) -> Option<Range> {
        match location.place {
            ValuePlace::Temp(n, channel) if !location.neg && !location.abs => {
                self.range(n, channel)
            }
            ValuePlace::Temp(..) | ValuePlace::Constant(..) | ValuePlace::Literal(_) => None,
        }
    }

    /// The bounds of an expression's values for all points and inputs of the job, after `, always in `; nothing where they are
    /// not known, or the expression is neither a variable nor a register.
    pub(super) fn ranges_of(&self, expression: &Expression) -> String {
        let ranges: Vec<Option<Range>> = match expression.variable() {
            Some((name, component)) => {
                let scope = self.scope();
                let found = scope.locations(name, component).into_iter();
                found.map(|location| self.range_at(location?)).collect()
            }
            None => {
                let of = |place: &Place| match *place {
                    Place::Temp(n, channel) => self.range(n as u8, channel as u8),
                    _ => None,
                };
                expression.places().iter().map(of).collect()
            }
        };
        in_ranges(&ranges)
    }
}

/// Ranges as text, after `, always in `.
pub(super) fn in_ranges(ranges: &[Option<Range>]) -> String {
    if ranges.iter().all(Option::is_none) {
        return String::new();
    }
    let text =
        |range: &Option<Range>| range.map_or_else(|| "-".to_string(), |range| range.to_string());
    let same = ranges.iter().all(|range| *range == ranges[0]);
    let shown = if same { &ranges[..1] } else { ranges };
    format!(", always in {}", shown.iter().map(text).collect::<Vec<_>>().join("; "))
}
