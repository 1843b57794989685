//! The values of a program's constants in each of its passes.
//!
//! A log prints values rounded, prints state of the application as garbage, and some passes give
//! constants new numbers. So constants are followed from pass to pass through the listings: where
//! two listings have the same instruction, their operands name the same values.

use super::align::align;
use super::listing::{Atom, Component, File, Lane, Line, Statement, Value};
use super::log::{Logged, Pass};
use ctm_lang::raw::PrintedConstant;
use std::collections::BTreeMap;

/// The known value of a component of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its bits.
    Bits(u32),
    /// The bits of what the log prints, which is rounded.
    Printed(u32),
    /// State of the application: the number and the channel that it had in the first pass.
    State(u16, u8),
}

/// The constants of one pass, by number and channel.
pub type Table = BTreeMap<(u16, u8), Known>;

/// The pass that removes unused constants and so gives the others new numbers.
const RENUMBERS: &str = "dead constants";

impl Known {
    /// Its bits, if the log has them; may be those of a rounded number.
    fn bits(self) -> Option<u32> {
        match self {
            Known::Bits(bits) | Known::Printed(bits) => Some(bits),
            Known::State(..) => None,
        }
    }
}

/// A number that logs print rounded and whose exact value is known: the compiler itself adds it, as the
/// number of turns in a radian.
const TURNS: f32 = std::f32::consts::FRAC_1_PI / 2.0;

/// The constants of each pass of a program.
pub fn tables(program: &Logged) -> Vec<Table> {
    let passes = &program.passes;
    let mut tables: Vec<Table> = Vec::new();
    // The passes between two renumberings share a table.
    let mut begin = 0;
    while begin < passes.len() {
        let later = (begin + 1..passes.len()).find(|&n| renumbers(passes, n));
        let end = later.unwrap_or(passes.len());
        let mut table = match begin {
            0 => first(program, end),
            _ => renumbered(program, begin, &tables[begin - 1]),
        };
        for n in begin.max(1)..end {
            if let (Ok(before), Ok(after)) = (&passes[n - 1].listing, &passes[n].listing) {
                refine(&mut table, before, after);
            }
        }
        // What a refinement finds counts for the passes before as well: the printed value did not
        // change.
        tables.extend((begin..end).map(|_| table.clone()));
        begin = end;
    }
    tables
}

/// Whether pass `n` gives constants new numbers.
fn renumbers(passes: &[Pass], n: usize) -> bool {
    let new = &passes[n].constants;
    let before = passes[..n].iter().rev().map(|pass| &pass.constants).find(|list| !list.is_empty());
    let moved = |a: &PrintedConstant| new.iter().any(|b| b.addr == a.addr && b != a);
    passes[n].name == RENUMBERS || before.is_some_and(|before| before.iter().any(moved))
}

/// The table of the first passes, up to `end`.
fn first(program: &Logged, end: usize) -> Table {
    let mut table = Table::new();
    let printed =
        program.passes[..end].iter().map(|pass| &pass.constants).find(|list| !list.is_empty());
    match printed {
        Some(list) => list.iter().for_each(|constant| put(&mut table, constant)),
        None => {
            // Immediates that are swizzles (0, 1/2 and 1 only) are not constants.
            let is_swizzle = |x: &f32| [0.0, 0.5, 1.0].contains(&x.abs());
            let real = program.immediates.iter().filter(|value| !value.iter().all(is_swizzle));
            for (index, value) in (program.states..).zip(real) {
                let addr = u32::from(index);
                let (value, decimals, name) = (Some(*value), 4, None);
                put(&mut table, &PrintedConstant { addr, value, decimals, name });
            }
        }
    }
    table
}

/// Adds a constant as printed.
fn put(table: &mut Table, constant: &PrintedConstant) {
    let Some(value) = constant.value else {
        return;
    };
    for (channel, x) in (0..).zip(value) {
        // A fraction of a power of two has as many decimals as binary places.
        let scaled = f64::from(x) * 2f64.powi(constant.decimals.min(64) as i32);
        let known = if rounds_to(TURNS, x, constant.decimals) {
            Known::Printed(TURNS.to_bits())
        } else if scaled.fract() == 0.0 {
            Known::Bits(x.to_bits())
        } else {
            Known::Printed(x.to_bits())
        };
        table.insert((constant.addr as u16, channel), known);
    }
}

/// Whether a value is printed as `printed` with this number of decimals.
fn rounds_to(value: f32, printed: f32, decimals: usize) -> bool {
    // No float has more.
    let decimals = decimals.min(149);
    format!("{value:.decimals$}").parse() == Ok(printed)
}

/// The table after the renumbering pass `n`. What the pass prints is compared with what the
/// instructions named before: the value before is more exact if it is printed so.
fn renumbered(program: &Logged, n: usize, before: &Table) -> Table {
    let passes = &program.passes;
    let mut votes: BTreeMap<(u16, u8), Vec<(Known, usize)>> = BTreeMap::new();
    // The last listing before that can be interpreted.
    let old = passes[..n].iter().rev().find_map(|pass| pass.listing.as_ref().ok());
    if let (Some(old), Ok(new)) = (old, &passes[n].listing) {
        for (a, b) in corresponding(old, new) {
            for (from, to) in a.components().zip(b.components()) {
                if from.file == File::Const && to.file == File::Const {
                    let key = (from.index, from.channel);
                    let known = before.get(&key).copied();
                    let known = known.unwrap_or(Known::State(from.index, from.channel));
                    let list = votes.entry((to.index, to.channel)).or_default();
                    match list.iter_mut().find(|(other, _)| *other == known) {
                        Some((_, count)) => *count += 1,
                        None => list.push((known, 1)),
                    }
                }
            }
        }
    }
    let mut table = Table::new();
    passes[n].constants.iter().for_each(|constant| put(&mut table, constant));
    let printed: BTreeMap<u32, &PrintedConstant> =
        passes[n].constants.iter().map(|constant| (constant.addr, constant)).collect();
    for ((index, channel), list) in votes {
        let value = printed
            .get(&u32::from(index))
            .and_then(|constant| Some((constant.value?[usize::from(channel)], constant.decimals)));
        let agrees = |known: &Known| match (known.bits(), value) {
            (Some(bits), Some((value, decimals))) => {
                rounds_to(f32::from_bits(bits), value, decimals)
            }
            (None, Some(_)) => false,
            (_, None) => true,
        };
        // The most frequent; of equally frequent ones the first.
        let most = list.iter().filter(|(known, _)| agrees(known)).map(|(_, count)| *count).max();
        let best = list.iter().find(|(known, count)| agrees(known) && Some(*count) == most);
        if let Some((known, _)) = best {
            table.insert((index, channel), *known);
        }
    }
    table
}

/// The lanes of two listings that mean the same value: those of instructions that agree in all but
/// constants.
fn corresponding<'a>(a: &'a [Line], b: &'a [Line]) -> impl Iterator<Item = (&'a Lane, &'a Lane)> {
    let shapes =
        |lines: &[Line]| lines.iter().map(|line| shape(&line.statement)).collect::<Vec<_>>();
    let rows = align(&shapes(a), &shapes(b));
    rows.into_iter()
        .filter_map(|(p, q)| Some((&a[p?].statement, &b[q?].statement)))
        .flat_map(|(a, b)| a.operands().flatten().zip(b.operands().flatten()))
}

/// A statement without the numbers, values and signs of its constants.
fn shape(statement: &Statement) -> Statement {
    let blank = Component { file: File::Const, index: 0, channel: 0 };
    let atom = |atom: &mut Atom| match atom {
        Atom::Component(Component { file: File::Const, .. }) | Atom::Bits(_) => {
            *atom = Atom::Component(blank);
            true
        }
        Atom::Component(_) | Atom::Unused => false,
    };
    let mut statement = statement.clone();
    let lane = |lane: &mut Lane| match &mut lane.value {
        Value::Atom(value) => {
            if atom(value) {
                (lane.abs, lane.negate) = (false, false);
            }
        }
        Value::Presub(_, a, b) => {
            atom(a);
            atom(b);
        }
    };
    match &mut statement {
        Statement::Compute(units) => {
            units.iter_mut().flat_map(|unit| unit.operands.iter_mut().flatten()).for_each(lane)
        }
        Statement::Fetch(fetch) => fetch.coordinate.iter_mut().for_each(lane),
        Statement::Kill(operand) => operand.iter_mut().for_each(lane),
        _ => {}
    }
    statement
}

/// Takes the exact values of constants from a pass that writes them into instructions.
fn refine(table: &mut Table, before: &[Line], after: &[Line]) {
    for (old, new) in corresponding(before, after) {
        let (Value::Atom(Atom::Component(component)), Value::Atom(Atom::Bits(bits))) =
            (old.value, new.value)
        else {
            continue;
        };
        if component.file != File::Const {
            continue;
        }
        let signed = |x: f32, lane: &Lane| {
            let x = if lane.abs { x.abs() } else { x };
            if lane.negate { -x } else { x }
        };
        if let Some(known) = table.get_mut(&(component.index, component.channel))
            && let Some(printed) = known.bits()
        {
            let rounded = f32::from_bits(printed);
            let exact = f32::from_bits(bits).abs().copysign(rounded);
            // Logs print four or six decimals. Another value is what the pass made of it.
            let near = [4, 6].iter().any(|&decimals| {
                rounds_to(rounded, rounded, decimals) && rounds_to(exact, rounded, decimals)
            });
            if near && signed(exact, old) == signed(f32::from_bits(bits), new) {
                *known = Known::Bits(exact.to_bits());
            }
        }
    }
}
