//! Fetches outside their input, which the memory controller clamps to its edge.

use super::Check;
use super::hits::{Hits, Key, What};
use super::names::Told;
use crate::check::{Code, Finding};
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::{Fetched, Step};
use ctm_machine::memory::{Surface, Wrap};

/// The check.
pub struct Clamped;

impl Clamped {
    /// The check of a launch; `None` if no fetch can be clamped.
    pub fn new(launch: &Checked<'_>) -> Option<Clamped> {
        let used = |n: usize| launch.program.uses().inputs >> n & 1 != 0;
        let clamps = |surface: Surface| surface.wrap == Wrap::Clamp;
        let mut inputs = launch.inputs.iter().enumerate();
        inputs.any(|(n, input)| used(n) && input.is_some_and(clamps)).then_some(Clamped)
    }
}

impl Check for Clamped {
    fn step(&mut self, step: &Step<'_>, _: &[u64; 4], hits: &mut Hits) {
        let common = &step.instruction.common;
        let gated = common.gates().iter().any(Option::is_some);
        for &(slot, fetch) in step.fetches {
            let Some(surface) = step.launch.inputs[fetch.input] else { continue };
            let beyond = |meant: i32, size: u32| i64::from(meant) + 1 >= i64::from(size);
            let (x, y) = fetch.meant;
            let clamped = fetch.is_clamped()
                || surface.tiling.is_2x2()
                    && surface.wrap == Wrap::Clamp
                    && (beyond(x, surface.width) || beyond(y, surface.height));
            if !clamped || gated && step.gate(slot) & common.wmask == 0 {
                continue;
            }
            let (code, pc) = (Code::ClampedFetch, step.pc);
            let key = Key { code, pc, what: What::Fetch(fetch.input) };
            let lanes = 1 << slot & step.before.covered();
            hits.add(step.before, lanes, key, 0, |_| {
                move |told: &Told<'_>| finding(told, pc, &fetch, &surface)
            });
        }
    }
}

fn finding(told: &Told<'_>, pc: u32, fetch: &Fetched, surface: &Surface) -> Finding {
    let (input, (x, y), (columns, rows)) =
        (told.input(fetch.input), fetch.meant, (surface.width, surface.height));
    let gathers = surface.tiling.is_2x2();
    let four = if gathers { "four texels from " } else { "texel " };
    let message = format!("a fetch is outside {input}: {four}({x}, {y}) of {columns} x {rows}");
    let label = if gathers {
        gathered(fetch.meant, (columns, rows))
    } else {
        format!("reads texel ({}, {}) at the edge", fetch.read.0, fetch.read.1)
    };
    let help = "test the coordinate first, and gate the fetch with the result: `(p.r) ld ...`; or say \
                `wrap = \"repeat\"` if the input repeats";
    let is_next = i64::from(x) == i64::from(columns) || i64::from(y) == i64::from(rows);
    let end = if is_next { "i1 and j1 of a domain are included; " } else { "" };
    Finding::new(Code::ClampedFetch, Some(pc), format!("i{}", fetch.input), message)
        .label(label)
        .help(format!("{end}{help}"))
}

/// The first of four texels that is clamped, and what is read instead. The four have their top left
/// one at `meant`.
fn gathered(meant: (i32, i32), size: (u32, u32)) -> String {
    let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| {
        [(meant.0, right, size.0), (meant.1, down, size.1)].map(|(at, by, size)| {
            let wanted = i64::from(at) + by;
            (wanted, wanted.clamp(0, i64::from(size).max(1) - 1))
        })
    });
    let clamped = four.into_iter().find(|texel| texel.iter().any(|(wanted, read)| wanted != read));
    let Some([(x, at_x), (y, at_y)]) = clamped else {
        return "some of the four are clamped to the edge".to_string();
    };
    format!("for texel ({x}, {y}), texel ({at_x}, {at_y}) at the edge is read")
}
