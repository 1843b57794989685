//! Faults as data: for each code the exact count and the first fault.

use ctm_base::named;
use ctm_lang::program::{Image, NameKind};
use std::collections::BTreeMap;

named! {
    /// The kinds of faults. The names are those that job files use in `fault = "..."`.
    #[derive(serde::Serialize, serde::Deserialize)]
    FaultCode {
        Budget "budget": "the group ran over its instruction budget";
        AddressStackOverflow "address_stack_overflow": "a 33rd entry was pushed on the address stack";
        AddressStackUnderflow "address_stack_underflow": "a return found the address stack empty";
        LoopStackOverflow "loop_stack_overflow": "a 33rd loop frame was pushed";
        LoopStackUnderflow "loop_stack_underflow": "a loop instruction ran outside every loop";
        BranchCounterOverflow "branch_counter_overflow": "a branch counter reached 32";
        MissingInstruction "missing_instruction": "the pc reached a slot without an instruction";
        InputOutsideMemory "input_outside_memory": "a fetch read outside the arenas (it got 0)";
        ConstantOutsideMemory "constant_outside_memory": "a constant lies outside the arenas (it reads 0)";
        OutputOutsideMemory "output_outside_memory": "an output write outside the arenas was dropped";
        OutputOutsideSurface "output_outside_surface": "the point lies outside the output's pitch and height; the write was dropped";
        ConditionOutsideMemory "condition_outside_memory": "the conditional buffer lies outside the arenas there";
        ConditionOutsideSurface "condition_outside_surface": "the point lies outside the conditional buffer's pitch and height";
        UncachedOutsideSurface "uncached_outside_surface": "an uncached write named an element outside output 0; it was dropped";
        UncachedOutsideMemory "uncached_outside_memory": "an uncached write outside the arenas was dropped";
        UncachedAlpha "uncached_alpha": "an uncached write had an alpha other than 0; it was dropped";
        Shared "shared": "a global register outside the program's was read (it gave 0) or written (the write was dropped)";
        CounterOutsideMemory "counter_outside_memory": "the counters were to be written outside the arenas; they were not";
    }
}

impl FaultCode {
    /// The meaning for a group that had `budget` instructions: it says how many, and what sets them.
    pub fn meaning_within(self, budget: u64) -> String {
        match self {
            FaultCode::Budget => {
                format!(
                    "the group ran over its budget of {budget} instructions (--limit, [limits])"
                )
            }
            code => code.meaning().to_string(),
        }
    }
}

/// All faults of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of faults.
    pub count: u64,
    /// Column of the first one.
    pub i: u32,
    /// Row of the first one.
    pub j: u32,
    /// The number of instructions that its group had executed before it; orders the faults of one
    /// point. Writes at the end of a point come after all its instructions.
    pub order: u64,
    /// Instruction of the first one; for writes at the end of a point, the last instruction
    /// executed.
    pub pc: u32,
    /// Input, output or constant number of the first one; 0 if none is involved.
    pub slot: u32,
    /// Byte address, or the rejected word, of the first one; 0 if none is involved.
    pub word: u32,
}

/// The faults of a run: for each code the count and the first in the order (j, i, instruction).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Faults(BTreeMap<FaultCode, Fault>);

impl Faults {
    /// Adds `fault.count` faults, the first of which is `fault`.
    pub fn add(&mut self, code: FaultCode, fault: Fault) {
        self.0
            .entry(code)
            .and_modify(|first| {
                let count = first.count + fault.count;
                let key = |f: &Fault| (f.j, f.i, f.order);
                if key(&fault) < key(first) {
                    *first = fault;
                }
                first.count = count;
            })
            .or_insert(fault);
    }
    /// Adds all faults of another run.
    pub fn merge(&mut self, other: &Faults) {
        for (&code, &fault) in &other.0 {
            self.add(code, fault);
        }
    }
    /// The faults with this code.
    pub fn get(&self, code: FaultCode) -> Option<&Fault> {
        self.0.get(&code)
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// All faults, in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = (FaultCode, &Fault)> {
        self.0.iter().map(|(&code, fault)| (code, fault))
    }
}

impl Fault {
    /// The number of a global register as [`slot`](Self::slot) and [`word`](Self::word) of a fault
    /// [`FaultCode::Shared`]: whether it is negative, and its magnitude.
    pub fn of_global(register: i64) -> (u32, u32) {
        (u32::from(register < 0), register.unsigned_abs() as u32)
    }

    /// The number of the global register of a fault [`FaultCode::Shared`].
    pub fn global_register(&self) -> i64 {
        let magnitude = i64::from(self.word);
        if self.slot == 0 { magnitude } else { -magnitude }
    }

    /// One human-readable line: what, how often, and where first.
    pub fn text(&self, code: FaultCode) -> String {
        self.text_in(code, &Image::default())
    }

    /// [`Fault::text`] with the places and names in the source of the program that ran.
    pub fn text_in(&self, code: FaultCode, image: &Image) -> String {
        self.line(code, code.meaning(), image)
    }

    /// [`Fault::text_in`] of a group that had `budget` instructions.
    pub fn text_within(&self, code: FaultCode, image: &Image, budget: u64) -> String {
        self.line(code, &code.meaning_within(budget), image)
    }

    fn line(&self, code: FaultCode, meaning: &str, image: &Image) -> String {
        let times = match self.count {
            1 => "once".to_string(),
            n => format!("{n} times, first"),
        };
        format!(
            "{}: {}: {times} at point ({}, {}), {}{}",
            code.name(),
            meaning,
            self.i,
            self.j,
            image.place(self.pc),
            self.detail(code, image)
        )
    }

    /// The data that the code's meaning leaves out: ` (input 2, address 0x00000100)`. Empty if
    /// there is nothing.
    pub fn detail(&self, code: FaultCode, image: &Image) -> String {
        let named = |kind| image.named(kind, self.slot);
        match code {
            FaultCode::InputOutsideMemory => {
                format!(" ({}, address 0x{:08x})", named(NameKind::Input), self.word)
            }
            FaultCode::OutputOutsideMemory => {
                format!(" ({}, address 0x{:08x})", named(NameKind::Output), self.word)
            }
            FaultCode::OutputOutsideSurface => format!(" ({})", named(NameKind::Output)),
            FaultCode::ConstantOutsideMemory => {
                format!(" (constant {}, address 0x{:08x})", self.slot, self.word)
            }
            FaultCode::ConditionOutsideMemory
            | FaultCode::UncachedOutsideMemory
            | FaultCode::CounterOutsideMemory => {
                format!(" (address 0x{:08x})", self.word)
            }
            FaultCode::UncachedAlpha | FaultCode::UncachedOutsideSurface => {
                format!(" (word 0x{:08x})", self.word)
            }
            FaultCode::Shared => format!(" (global register {})", self.global_register()),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(j: u32, i: u32, order: u64) -> Fault {
        Fault { count: 1, i, j, order, pc: 7, slot: 2, word: 0x100 }
    }

    #[test]
    fn the_first_by_row_column_and_order_is_kept_and_all_are_counted() {
        let mut faults = Faults::default();
        for f in [fault(1, 0, 5), fault(0, 3, 9), fault(0, 3, 2), fault(0, 4, 0)] {
            faults.add(FaultCode::InputOutsideMemory, f);
        }
        let first = faults.get(FaultCode::InputOutsideMemory).expect("added");
        assert_eq!((first.count, first.j, first.i, first.order), (4, 0, 3, 2));
        assert_eq!(
            first.text(FaultCode::InputOutsideMemory),
            "input_outside_memory: a fetch read outside the arenas (it got 0): 4 times, first at \
             point (3, 0), pc 7 (input 2, address 0x00000100)"
        );
    }

    #[test]
    fn names_are_unique_and_found_again() {
        for code in FaultCode::ALL {
            assert_eq!(FaultCode::from_name(code.name()), Some(code));
        }
        assert_eq!(FaultCode::from_name("nonsense"), None);
    }
}
