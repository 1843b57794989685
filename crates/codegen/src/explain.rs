//! The effects of the passes on a shader: operations and instructions before and after each, and the source of
//! each.

use crate::graph::Graph;
use crate::schedule::{Schedule, Slot};
use std::collections::{BTreeMap, BTreeSet};

/// The report on a shader's compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The version of GLSL that the source was read as, in words; `None` for WGSL.
    pub version: Option<String>,
    /// The passes, in their order: each starts with what the one before left.
    pub passes: Vec<Pass>,
    /// For each line of the source with operations, counted from 1, their number as written: functions inlined, loops that
    /// become straight code repeated.
    pub written: BTreeMap<usize, usize>,
    /// For each instruction, the lines that its operations come from, in order.
    pub lines: Vec<Vec<usize>>,
}

/// The report on a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// Its effect.
    pub about: &'static str,
    /// Operations before; from packing on, parts of instructions.
    pub before: usize,
    /// Operations after; from pairing on, instructions.
    pub after: usize,
}

impl Explanation {
    /// Takes in an instruction that only ends the program. It belongs to the one before.
    pub fn ends(&mut self, instructions: usize) {
        let last = self.lines.last().cloned().unwrap_or_default();
        self.lines.resize(instructions, last);
        if let Some(last) = self.passes.last_mut() {
            last.after = instructions;
        }
    }
}

/// The lines of a source.
pub(crate) struct Lines {
    /// The offset of the start of each.
    starts: Vec<usize>,
}

impl Lines {
    pub fn of(source: &str) -> Lines {
        let starts = source.match_indices('\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The line of an offset, counted from 1; `None` for offset 0: the place is not known.
    pub fn line(&self, origin: u32) -> Option<usize> {
        (origin > 0).then(|| self.starts.partition_point(|start| *start <= origin as usize))
    }
}

/// The report on a schedule of a graph.
pub fn explain(graph: &Graph, schedule: &Schedule, source: &str) -> Explanation {
    let lines_of = Lines::of(source);
    let line = |origin: u32| lines_of.line(origin);
    let mut written = BTreeMap::new();
    for line in graph.asked.written.iter().filter_map(|origin| line(*origin)) {
        *written.entry(line).or_insert(0) += 1;
    }
    let operations = &schedule.code.operations;
    let mut counts = Counts::default();
    let mut lines = Vec::new();
    for slot in &schedule.slots {
        let all: Vec<usize> = match slot {
            Slot::Alu(packed, _) => {
                let at = |n: usize| packed.members[n].map(|member| member.operation);
                let rgb: BTreeSet<usize> = (0..3).filter_map(at).collect();
                let alpha = at(3).filter(|operation| !rgb.contains(operation));
                counts.operations += rgb.len() + usize::from(alpha.is_some());
                counts.halves += usize::from(!rgb.is_empty()) + usize::from(alpha.is_some());
                rgb.into_iter().chain(alpha).collect()
            }
            Slot::Fetch(n, _) => {
                counts.operations += 1;
                counts.halves += 1;
                vec![*n]
            }
            Slot::Kill(all) => {
                counts.operations += all.len();
                counts.halves += 1;
                all.clone()
            }
            Slot::Flow(_) => {
                counts.flow += 1;
                Vec::new()
            }
        };
        let of = |n: &usize| [operations[*n].origin, operations[*n].stored];
        let mut origins: Vec<u32> = all.iter().flat_map(of).collect();
        if let Slot::Flow(block) = slot {
            origins.push(schedule.code.ends[*block].origin);
        }
        let own: BTreeSet<usize> = origins.into_iter().filter_map(line).collect();
        lines.push(own.into_iter().collect());
    }
    let passes = passes(graph, schedule, counts);
    Explanation { version: None, passes, written, lines }
}

/// The counts of a schedule.
#[derive(Default)]
struct Counts {
    operations: usize,
    /// Units of instructions that work, fetches, instructions that end points.
    halves: usize,
    flow: usize,
}

fn passes(graph: &Graph, schedule: &Schedule, counts: Counts) -> Vec<Pass> {
    let folded = schedule.code.folded;
    let mut seen = vec![false; graph.size()];
    let mut first = |id: &&u32| !std::mem::replace(&mut seen[**id as usize], true);
    let distinct = graph.asked.simplified.iter().filter(|id| first(id)).count();
    let signs = folded.nodes - folded.signs;
    let products = signs - folded.products;
    let sums = products - folded.sums;
    let modifiers = sums - folded.modifiers;
    let steps = [
        ("rules", "simpler operations with the same result", graph.asked.simplified.len()),
        ("sharing", "equal operations are one", distinct),
        ("dead code", "operations without an effect are left out", folded.nodes),
        ("signs", "signs and magnitudes go into operands", signs),
        ("MAD", "products go into sums", products),
        ("presubtract", "sums go into sources", sums),
        ("modifiers", "factors of 2 and clamps go into results", modifiers),
        (
            "moves",
            "values move to where a fetch, a variable or an output needs them",
            counts.operations,
        ),
        ("packing", "up to three equal operations share a unit", counts.halves),
        (
            "pairing",
            "RGB and alpha units work in one instruction",
            schedule.slots.len() - counts.flow,
        ),
        ("flow control", "branches and loops that stay, and the end", schedule.slots.len()),
    ];
    let mut before = graph.asked.written.len();
    let pass = |(name, about, after)| Pass {
        name,
        about,
        before: std::mem::replace(&mut before, after),
        after,
    };
    steps.into_iter().map(pass).collect()
}
