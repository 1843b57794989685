//! Reduces a case that shows something to a minimal one that still shows it.

use super::case::Case;
use ctm_isa::isa::{
    BOOL_CONSTANTS, Body, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, Instruction, OUTPUTS, table,
};
use ctm_lang::program::{Image, Program};
use ctm_machine::launch::{Condition, Constants, Domain, Initial, IntConstant, Launch};
use ctm_machine::memory::Surface;
use std::ops::Range;
use std::sync::Arc;

/// Makes a case smaller in single steps, and keeps each step after which it still `shows`.
///
/// Tries at most `tries` cases. `shows` must confirm that the result still shows it; otherwise the
/// original is returned.
pub fn reduce(case: &Case, shows: &mut dyn FnMut(&Case) -> bool, tries: u32) -> Case {
    if !shows(case) {
        return case.clone();
    }
    let mut reducer = Reducer { best: case.clone(), shows, left: tries };
    loop {
        let before = size(&reducer.best);
        reducer.domain();
        reducer.instructions();
        reducer.setting();
        reducer.constants();
        reducer.start_data();
        reducer.memory();
        reducer.fields();
        if reducer.left == 0 || size(&reducer.best) == before {
            return reducer.best;
        }
    }
}

/// The size of a case: another round is worth it only if this shrinks.
fn size(case: &Case) -> (usize, u64, u64) {
    let bits = case.launch.program.image().words.iter().flatten();
    (
        case.launch.program.instructions().len(),
        case.launch.domain.points(),
        bits.map(|word| u64::from(word.count_ones())).sum(),
    )
}

struct Reducer<'a> {
    best: Case,
    shows: &'a mut dyn FnMut(&Case) -> bool,
    left: u32,
}

impl Reducer<'_> {
    /// Accepts a case if it still shows.
    fn offer(&mut self, case: Case) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let better = (self.shows)(&case);
        if better {
            self.best = case;
        }
        better
    }

    fn change(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        let mut case = self.best.clone();
        change(&mut case);
        self.offer(case)
    }

    fn image(&mut self, change: impl FnOnce(&mut Image) -> bool) -> bool {
        let mut image = self.best.launch.program.image().clone();
        if !change(&mut image) {
            return false;
        }
        let Ok(program) = Program::new(image) else {
            return false;
        };
        self.change(|case| case.launch.program = Arc::new(program))
    }

    /// Tries smaller domains: halves, then single columns and rows from either side.
    fn domain(&mut self) {
        while self.left > 0 {
            let d = self.best.launch.domain;
            let (middle_i, middle_j) = ((d.i0 + d.i1) / 2, (d.j0 + d.j1) / 2);
            let smaller = [
                Domain { i1: middle_i, ..d },
                Domain { i0: middle_i + 1, ..d },
                Domain { j1: middle_j, ..d },
                Domain { j0: middle_j + 1, ..d },
                Domain { i1: d.i1.wrapping_sub(1), ..d },
                Domain { i0: d.i0 + 1, ..d },
                Domain { j1: d.j1.wrapping_sub(1), ..d },
                Domain { j0: d.j0 + 1, ..d },
            ];
            let shrunk = smaller.into_iter().any(|domain| {
                !domain.is_empty()
                    && domain.points() < d.points()
                    && self.change(|case| set_domain(case, domain))
            });
            if !shrunk {
                return;
            }
        }
    }

    /// Tries fewer instructions: long pieces first.
    fn instructions(&mut self) {
        let mut piece = self.best.launch.program.instructions().len().div_ceil(2);
        while piece > 0 {
            let mut at = 0;
            while at < self.best.launch.program.instructions().len() && self.left > 0 {
                let end = (at + piece).min(self.best.launch.program.instructions().len());
                if !self.image(|image| delete(image, at..end)) {
                    at += piece;
                }
            }
            piece /= 2;
        }
    }

    /// Tries `to` for a part of the launch that has another value.
    fn reset<T: PartialEq>(&mut self, part: impl Fn(&mut Launch) -> &mut T, to: T) -> bool {
        *part(&mut self.best.launch) != to && self.change(|case| *part(&mut case.launch) = to)
    }

    /// Resets the state around the program to power-on values where possible.
    fn setting(&mut self) {
        for n in 0..INPUTS + OUTPUTS {
            self.reset(|launch| surface(launch, n), None);
        }
        self.reset(|launch| &mut launch.condition, Condition::default());
        self.reset(|launch| &mut launch.out_mask, 15);
        if self.best.launch.interpolants.is_some() {
            self.change(|case| case.launch.interpolants = None);
        }
        if self.best.launch.program.registers().us_config != 0 {
            self.image(|image| {
                image.registers.us_config = 0;
                true
            });
        }
        // Surfaces without quirks, at ordinary addresses.
        for n in 0..INPUTS + OUTPUTS {
            let base = Case::BASE + n as u32 % 8 * (Case::memory_size() / 8);
            if let Some(given) = *surface(&mut self.best.launch, n) {
                self.reset(|launch| surface(launch, n), Some(Surface { base, ..given }));
            }
        }
    }

    fn constants(&mut self) {
        if self.reset(constants, Constants::default()) {
            return;
        }
        for n in 0..4 * FLOAT_CONSTANTS {
            self.reset(|launch| &mut constants(launch).float[n / 4][n % 4], 0);
        }
        for n in 0..INT_CONSTANTS {
            self.reset(|launch| &mut constants(launch).int[n], IntConstant::default());
        }
        for n in 0..BOOL_CONSTANTS {
            let fewer = self.best.launch.constants.bool & !(1 << n);
            self.reset(|launch| &mut constants(launch).bool, fewer);
        }
    }

    /// Tries temporaries without start data, with zeros, with few values.
    fn start_data(&mut self) {
        let mut n = 0;
        while n < self.best.launch.initial.len() {
            if !self.change(|case| drop(case.launch.initial.remove(n))) {
                n += 1;
            }
        }
        for n in 0..self.best.launch.initial.len() {
            for channel in 0..4 {
                let Some(initial) = self.best.launch.initial.get(n) else {
                    return;
                };
                let Some(first) = initial.data.first().map(|value| value[channel]) else {
                    return;
                };
                for value in [0, 0x3f80_0000, first] {
                    if self.best.launch.initial[n].data.iter().all(|v| v[channel] == value)
                        || self.change(|case| {
                            let data = &mut case.launch.initial[n].data;
                            for v in Arc::make_mut(data) {
                                v[channel] = value;
                            }
                        })
                    {
                        break;
                    }
                }
            }
        }
    }

    fn memory(&mut self) {
        if !self.best.bytes.is_empty() {
            self.change(|case| case.bytes.clear());
        }
        let mut piece = self.best.bytes.len() / 2;
        while piece >= 1024 {
            let mut at = 0;
            while at < self.best.bytes.len() {
                let end = (at + piece).min(self.best.bytes.len());
                if self.best.bytes[at..end].iter().any(|&byte| byte != 0) {
                    self.change(|case| case.bytes[at..end].fill(0));
                }
                at = end;
            }
            piece /= 2;
        }
    }

    /// Tries zero in the fields of instructions.
    fn fields(&mut self) {
        for pc in 0..self.best.launch.program.instructions().len() {
            let words = self.best.launch.program.image().words[pc];
            for (field, value) in table::fields(&words) {
                if value == 0 || field.name == "TYPE" {
                    continue;
                }
                self.image(|image| {
                    let word = &mut image.words[pc][field.word.index()];
                    *word = field.set(*word, 0);
                    true
                });
            }
        }
    }
}

fn constants(launch: &mut Launch) -> &mut Constants {
    Arc::make_mut(&mut launch.constants)
}

/// Surface `n` of a launch: its inputs, then its outputs.
fn surface(launch: &mut Launch, n: usize) -> &mut Option<Surface> {
    match n.checked_sub(INPUTS) {
        None => &mut launch.inputs[n],
        Some(n) => &mut launch.outputs[n],
    }
}

/// Changes a case's domain to a part of it, and cuts the start data to match.
fn set_domain(case: &mut Case, domain: Domain) {
    let old = case.launch.domain;
    for Initial { data, .. } in &mut case.launch.initial {
        let cut = (domain.j0..=domain.j1)
            .flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j)))
            .filter_map(|(i, j)| {
                let at = (j - old.j0) as usize * old.width() as usize + (i - old.i0) as usize;
                data.get(at).copied()
            })
            .collect();
        *data = Arc::new(cut);
    }
    case.launch.domain = domain;
}

/// Deletes instructions and moves jumps along; jumps become absolute. Returns whether that is
/// possible.
fn delete(image: &mut Image, range: Range<usize>) -> bool {
    let count = range.len();
    let registers = image.registers;
    let offset = registers.offset();
    let moved = |slot: u32| {
        let slot = slot as usize;
        let to = if slot < range.start {
            slot
        } else if slot < range.end {
            range.start
        } else {
            slot - count
        };
        to as u32
    };
    if image.words.len() == count {
        return false;
    }
    let (start, end) = (registers.start(), registers.end());
    let end = if range.contains(&(end as usize)) {
        match range.start.checked_sub(1) {
            Some(before) => before as u32,
            None => return false,
        }
    } else {
        moved(end)
    };
    let start = moved(start);
    if start > end {
        return false;
    }
    for words in &mut image.words {
        let mut instruction = Instruction::decode_as(words, image.sharing.is_some());
        if let Body::Fc(fc) = &mut instruction.body {
            fc.jump_addr = moved(fc.target(offset)) as u16;
            fc.jump_global = true;
            *words = instruction.encode();
        }
    }
    image.words.drain(range);
    image.registers.us_code_offset = 0;
    image.registers.us_code_addr = start | end << 16;
    image.registers.us_code_range = (image.words.len() as u32 - 1) << 16;
    true
}

#[cfg(test)]
mod tests;
