//! The results of a pass at each point, and the differences between two passes.

use super::interpret::{Cell, Values};
use super::listing::File;
use super::log::{Logged, Semantic};
use super::number::Number;
use super::trials::Trial;
use serde::Serialize;
use std::collections::BTreeMap;

/// The options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The seed of the first trial.
    pub seed: u64,
    /// Columns and rows of points.
    pub size: (u32, u32),
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// The share of the values that may differ.
    pub share: f64,
    /// The most statements of a listing, and instructions of a group of the machine code, that a trial runs.
    pub limit: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 1, size: (16, 16), rtol: 3e-4, atol: 3e-5, share: 0.05, limit: 1 << 16 }
    }
}

/// The first value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct First {
    /// Column of the point.
    pub i: u32,
    /// Row of the point.
    pub j: u32,
    /// The output, like "output 0" or "depth", and the channel.
    pub place: String,
    /// The value before the pass, as text.
    pub before: String,
    /// The value after it.
    pub after: String,
}

/// A value's place: an output, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputId {
    Color(u16),
    Depth,
}

/// The outputs of a pass by place, and what became of the points.
pub struct Outputs {
    pub places: BTreeMap<OutputId, Vec<[Cell; 4]>>,
    pub values: Values,
}

/// The end of a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Ends,
    Killed,
    Endless,
}

impl Outputs {
    fn fate(&self, point: usize) -> Fate {
        match (self.values.endless[point], self.values.killed[point]) {
            (true, _) => Fate::Endless,
            (false, true) => Fate::Killed,
            (false, false) => Fate::Ends,
        }
    }
}

/// The place of an output of a listing.
pub fn place(logged: &Logged, file: File, index: u16) -> OutputId {
    let declared = logged.outputs.iter().find(|(output, _)| *output == index);
    match (file, declared.map(|(_, semantic)| *semantic)) {
        (File::Depth, _) | (File::Output, Some(Semantic::Position)) => OutputId::Depth,
        (File::Output, Some(Semantic::Color(n))) => OutputId::Color(n),
        _ => OutputId::Color(index),
    }
}

/// The values of a pass by place: listings number outputs as the program declares them, paired
/// instructions by their colour buffer.
pub fn by_place(logged: &Logged, mut values: Values) -> Outputs {
    let mut places = BTreeMap::new();
    for ((file, index), cells) in std::mem::take(&mut values.outputs) {
        let place = place(logged, file, index);
        // Depth is channel z of its output, and channel w from 'rewrite depth out' on.
        let depth = |cells: [Cell; 4]| [None, None, cells[2].or(cells[3]), None];
        let cells = match place {
            OutputId::Depth => cells.into_iter().map(depth).collect(),
            OutputId::Color(_) => cells,
        };
        places.insert(place, cells);
    }
    Outputs { places, values }
}

/// The outcome of comparing two passes.
#[derive(Default)]
pub struct Comparison {
    pub values: u64,
    /// Values that differ, of which rounding may be the reason.
    pub rounded: u64,
    /// Values that differ although nothing was rounded.
    pub exact: u64,
    /// The first of those that differ, by what counts more.
    pub first: [Option<First>; 2],
    /// Whether values that were rounded count.
    rounded_count: bool,
}

impl Comparison {
    /// Whether too many values differ: one that nothing rounded, or more than a share of the others.
    pub fn differs(&self, options: &Options) -> bool {
        let share = options.share * self.values as f64;
        self.exact > 0 || self.rounded_count && self.rounded as f64 > share
    }
}

/// Compares the values that the pass before defines. `encodes`: the pass after is the code of the pass before.
pub fn compare(
    before: &Outputs,
    after: &Outputs,
    encodes: bool,
    trial: &Trial<'_>,
    options: &Options,
) -> Comparison {
    let mut found = Comparison { rounded_count: trial.rounded, ..Comparison::default() };
    let depth = [before, after].iter().all(|pass| pass.places.contains_key(&OutputId::Depth));
    // The depth that the machine gives is not among its outputs.
    let comparable = |place: &OutputId| *place != OutputId::Depth || depth;
    for point in 0..trial.scene.points() {
        let fates = (before.fate(point), after.fate(point));
        // A loop that needs many statements may need too many in a pass that is right.
        let long = fates.1 == Fate::Endless && before.values.executed > options.limit / 4;
        if fates.0 == Fate::Endless || long || before.values.undefined[point] {
            continue;
        }
        if fates == (Fate::Killed, Fate::Killed) {
            continue;
        }
        let rounded = before.values.rounded[point] || after.values.rounded[point];
        for (place, cells) in before.places.iter().filter(|(place, _)| comparable(place)) {
            for (channel, &old) in cells[point].iter().enumerate() {
                let new = after.places.get(place).and_then(|cells| cells[point][channel]);
                let Some(Number { bits: Some(bits), exact }) = old else {
                    continue;
                };
                found.values += 1;
                let exact = exact && !rounded && new.is_none_or(|new| new.exact || encodes);
                let same = match new.and_then(|new| new.bits) {
                    Some(new) => {
                        let [a, b] = [bits, new].map(f32::from_bits);
                        fates.0 == fates.1 && if exact { a == b } else { close(a, b, options) }
                    }
                    None => false,
                };
                // Programs may leave open what comes after an overflow or a division by zero.
                if same || !f32::from_bits(bits).is_finite() {
                    continue;
                }
                let (count, first) = if exact {
                    (&mut found.exact, &mut found.first[0])
                } else {
                    (&mut found.rounded, &mut found.first[1])
                };
                *count += 1;
                first.get_or_insert_with(|| {
                    let place = match place {
                        OutputId::Color(n) => {
                            format!("output {n}.{}", ["r", "g", "b", "a"][channel])
                        }
                        OutputId::Depth => "depth".to_string(),
                    };
                    let scene = &trial.scene;
                    let (i, j) = (point % scene.width, point / scene.width);
                    let (i, j) = (i as u32 + scene.first.0, j as u32 + scene.first.1);
                    First { i, j, place, before: show(old, fates.0), after: show(new, fates.1) }
                });
            }
        }
    }
    found
}

/// A value, human-readable.
fn show(cell: Cell, fate: Fate) -> String {
    match (fate, cell) {
        (Fate::Killed, _) => "killed".to_string(),
        (Fate::Endless, _) => "in a loop without end".to_string(),
        (Fate::Ends, None) => "not written".to_string(),
        (Fate::Ends, Some(Number { bits: None, .. })) => "undefined".to_string(),
        (Fate::Ends, Some(Number { bits: Some(bits), .. })) => {
            format!("{:?}", f32::from_bits(bits))
        }
    }
}

/// Whether two numbers agree: both NaN, the same infinity, or close enough.
pub fn close(a: f32, b: f32, options: &Options) -> bool {
    let (a, b) = (f64::from(a), f64::from(b));
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= options.atol + options.rtol * a.abs()
}
