//! Bounds of the values of a program for all points and inputs of its job, beside the values of one point.

use super::expression::Expression;
use super::session::Session;
use super::variables::{Component, Found};
use ctm_base::stop::Stop;
use ctm_isa::isa::{Modifier, Place};
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

    fn around(&self, pass: usize) -> Option<&Surroundings> {
        let job = self.job.as_ref()?;
        self.around.get_or_init(|| surroundings(job).unwrap_or_default()).get(pass)
    }

    fn of(&self, pass: usize) -> Option<&Values> {
        let around = self.around(pass)?;
        let program = &self.job.as_ref()?.passes[pass].program;
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
        self.bounds(Place::Temp(temp.into(), channel.into()))
    }

    /// The bounds of a value that was found, as [`Session::range`] gives them.
    pub fn range_of(&self, found: &Found) -> Option<Range> {
        self.range_at(found.location())
    }

    fn bounds(&self, place: Place) -> Option<Range> {
        if self.launch().launch().mode != FloatMode::Exact || self.moment().end.is_some() {
            return None;
        }
        let (pass, _) = self.plan().pass_of(self.position().launch);
        let ranges = &self.plan().ranges;
        let range = match place {
            Place::Temp(n, channel) => {
                *ranges.of(pass)?.get(&(self.moment().group.pc(), n as u8, channel as u8))?
            }
            Place::Constant(n, channel) => ranges.around(pass)?.constant(n, channel),
            _ => return None,
        };
        (range.numbers() != Some((f32::NEG_INFINITY, f32::INFINITY))).then_some(range)
    }

    fn range_at(&self, location: &VariableLocation) -> Option<Range> {
        let range = match location.place {
            ValuePlace::Temp(n, channel) => self.bounds(Place::Temp(n.into(), channel.into())),
            ValuePlace::Constant(n, channel) => {
                self.bounds(Place::Constant(n.into(), channel.into()))
            }
            ValuePlace::Literal(bits) => Some(Range::of(bits)),
        };
        let modifier = match (location.neg, location.abs) {
            (false, false) => Modifier::Nop,
            (true, false) => Modifier::Neg,
            (false, true) => Modifier::Abs,
            (true, true) => Modifier::Nab,
        };
        Some(range?.signed(modifier))
    }

    /// The bounds of the values of components for all points and inputs of the job, after `, always in `; nothing where they
    /// are not known, or are those of constants with one value.
    pub fn ranges(&self, components: &[Component]) -> String {
        let found = components.iter().map(|one| one.found.as_ref());
        self.text(found.map(|found| found.map(Found::location)))
    }

    /// The bounds of an expression's values, as [`Session::ranges`] gives them, if it is a variable or a register and the
    /// point that is looked at runs the next instruction.
    pub fn ranges_of(&self, expression: &Expression) -> String {
        match expression.variable() {
            Some((name, component)) => {
                let scope = self.scope();
                self.text(scope.locations(name, component).into_iter())
            }
            None if self.scope().elsewhere().is_some() => String::new(),
            None => self.text_of(expression.places()),
        }
    }

    /// The bounds of the channels of a temporary, as [`Session::ranges`] gives them, for points that run the next
    /// instruction.
    pub fn ranges_of_temp(&self, temp: usize) -> String {
        self.text_of(&[0, 1, 2, 3].map(|channel| Place::Temp(temp, channel)))
    }

    fn text_of(&self, places: &[Place]) -> String {
        let ranges: Vec<_> = places.iter().map(|place| self.bounds(*place)).collect();
        in_ranges(&ranges, places.iter().all(|place| matches!(place, Place::Constant(..))))
    }

    /// The bounds of the values of a register by its name, as [`Session::ranges_of`] gives them.
    pub fn ranges_of_register(&self, register: &str) -> String {
        let text = Expression::of_register(register, self.image());
        let expression = Expression::parse(&text, self.image());
        expression.map_or_else(|_| String::new(), |expression| self.ranges_of(&expression))
    }

    fn text<'l>(&self, places: impl Iterator<Item = Option<&'l VariableLocation>>) -> String {
        let places: Vec<_> = places.collect();
        let ranges: Vec<_> = places.iter().map(|place| self.range_at((*place)?)).collect();
        let mut known = places.into_iter().flatten();
        in_ranges(&ranges, known.all(|place| !matches!(place.place, ValuePlace::Temp(..))))
    }
}

/// Ranges as text, after `, always in `. `constant`: all values are those of constants; one number alone is not said.
fn in_ranges(ranges: &[Option<Range>], constant: bool) -> String {
    let is_number = |range: &Range| range.numbers().is_some_and(|(low, high)| low == high);
    if ranges.iter().flatten().all(|range| constant && is_number(range)) {
        return String::new();
    }
    let text =
        |range: &Option<Range>| range.map_or_else(|| "-".to_string(), |range| range.to_string());
    let same = ranges.iter().all(|range| *range == ranges[0]);
    let shown = if same { &ranges[..1] } else { ranges };
    format!(", always in {}", shown.iter().map(text).collect::<Vec<_>>().join("; "))
}
