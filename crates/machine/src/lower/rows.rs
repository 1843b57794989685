//! Rows while a program is lowered: small numbers, in the order of their final ones.

use super::Window;
use ctm_isa::isa::{OUTPUTS, TEMPORARIES};

/// A row.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// Channel of a temporary, 4 n + channel.
    Temp(u16),
    /// Channel of a held output, 4 n + channel.
    Output(u16),
    /// The own conditional value.
    Own,
    /// A channel of an operand in a global register, see [`super::Window`].
    Window(u16),
    /// A value that lives within one instruction: channel of a register, 4 n + channel.
    Scratch(u16),
}

impl Row {
    /// The number of all rows but scratch rows.
    const SCRATCH: usize = Row::Scratch(0).number();

    /// The number until unused registers are left out.
    const fn number(self) -> usize {
        const OUTPUT: usize = 4 * TEMPORARIES;
        const OWN: usize = OUTPUT + 4 * OUTPUTS;
        const WINDOW: usize = OWN + 4;
        match self {
            Row::Temp(n) => n as usize,
            Row::Output(n) => OUTPUT + n as usize,
            Row::Own => OWN,
            Row::Window(n) => WINDOW + n as usize,
            Row::Scratch(n) => WINDOW + Window::COUNT + n as usize,
        }
    }
}

/// The rows that a program uses.
pub(super) struct Rows {
    /// By number; without scratch rows.
    used: [bool; Row::SCRATCH],
    /// The number of scratch registers.
    scratch: u16,
}

impl Rows {
    pub fn new() -> Rows {
        Rows { used: [false; Row::SCRATCH], scratch: 0 }
    }

    /// The number of a row. From now on it is used.
    #[inline]
    pub fn number(&mut self, row: Row) -> u32 {
        match row {
            Row::Scratch(n) => self.scratch = self.scratch.max(n / 4 + 1),
            Row::Temp(_) | Row::Output(_) | Row::Own | Row::Window(_) => {
                self.used[row.number()] = true;
            }
        }
        row.number() as u32
    }

    /// Leaves unused registers out.
    pub fn finish(self) -> Numbers {
        let mut first = [0; Row::SCRATCH / 4 + 1];
        for (n, register) in self.used.as_chunks::<4>().0.iter().enumerate() {
            first[n + 1] = first[n] + if *register == [false; 4] { 0 } else { 4 };
        }
        let all = first[Row::SCRATCH / 4] + 4 * u32::from(self.scratch);
        Numbers { used: self.used, first, all }
    }
}

/// The final numbers of rows: temporaries, outputs, own value, windows, scratch.
pub(super) struct Numbers {
    used: [bool; Row::SCRATCH],
    /// By register, the number of its first row.
    first: [u32; Row::SCRATCH / 4 + 1],
    /// The number of rows.
    pub all: u32,
}

impl Numbers {
    /// The final number of a row.
    #[inline]
    pub fn of(&self, row: u32) -> u32 {
        let register = (row / 4).min(Row::SCRATCH as u32 / 4);
        self.first[register as usize] + (row - 4 * register)
    }

    /// The number of rows before those of a kind, of which the first one is given.
    pub fn before(&self, first: Row) -> u32 {
        self.first[first.number() / 4]
    }

    /// Sets the final numbers of a register's first row and the rows after it; those of unused rows stay.
    pub fn fill(&self, first: Row, numbers: &mut [u16]) {
        for (register, numbers) in (first.number() / 4..).zip(numbers.chunks_mut(4)) {
            if self.first[register] == self.first[register + 1] {
                continue;
            }
            for (row, number) in (4 * register..).zip(numbers) {
                if self.used[row] {
                    *number = self.of(row as u32) as u16;
                }
            }
        }
    }
}
