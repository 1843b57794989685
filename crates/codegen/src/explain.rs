//! The effects of the passes on a shader: operations and instructions before and after each, and the source of
//! each.

use crate::graph::Graph;
use crate::lines::Lines;
use crate::schedule::{Schedule, Slot};
use ctm_lang::program::Image;
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

/// The report on a schedule of a graph, and the image that became of it.
pub fn explain(graph: &Graph, schedule: &Schedule, image: &Image, source: &str) -> Explanation {
    let lines_of = Lines::of(source);
    let line = |origin: u32| lines_of.line(origin);
    let mut written = BTreeMap::new();
    for line in graph.asked.written.iter().filter_map(|origin| line(*origin)) {
        *written.entry(line).or_insert(0) += 1;
    }
    let mut counts = Counts::default();
    for slot in &schedule.slots {
        match slot {
            Slot::Alu(packed, _) => {
                let at = |n: usize| packed.members[n].map(|member| member.operation);
                let rgb: BTreeSet<usize> = (0..3).filter_map(at).collect();
                let alpha = at(3).filter(|operation| !rgb.contains(operation));
                counts.operations += rgb.len() + usize::from(alpha.is_some());
                counts.halves += usize::from(!rgb.is_empty()) + usize::from(alpha.is_some());
            }
            Slot::Fetch(..) => {
                counts.operations += 1;
                counts.halves += 1;
            }
            Slot::Kill(all) => {
                counts.operations += all.len();
                counts.halves += 1;
            }
            Slot::Flow(_) => counts.flow += 1,
        }
    }
    let passes = passes(graph, schedule, counts, image.words.len());
    Explanation { version: None, passes, written, lines: lines(image) }
}

/// For each instruction of an image, the lines that it serves.
pub fn lines(image: &Image) -> Vec<Vec<usize>> {
    let served = |pc: usize| image.locations(pc as u32).map(|at| at.line as usize).collect();
    (0..image.words.len()).map(served).collect()
}

/// The counts of a schedule.
#[derive(Default)]
struct Counts {
    operations: usize,
    /// Units of instructions that work, fetches, instructions that end points.
    halves: usize,
    flow: usize,
}

fn passes(graph: &Graph, schedule: &Schedule, counts: Counts, instructions: usize) -> Vec<Pass> {
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
        ("flow control", "branches and loops that stay, and the end", instructions),
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
