//! Rows while a program is lowered, and values for them in arrays: rows are small numbers.

use ctm_isa::isa::TEMPORARIES;

/// Rows, in the order of their final numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// The place of its value in a [`RowMap`].
    fn place(self) -> usize {
        const OUTPUTS: usize = 4 * TEMPORARIES;
        const OWN: usize = OUTPUTS + 16;
        const WINDOWS: usize = OWN + 1;
        const SCRATCH: usize = WINDOWS + super::Window::COUNT;
        match self {
            Row::Temp(n) => usize::from(n),
            Row::Output(n) => OUTPUTS + usize::from(n),
            Row::Own => OWN,
            Row::Window(n) => WINDOWS + usize::from(n),
            Row::Scratch(n) => SCRATCH + usize::from(n),
        }
    }
}

/// Values for some rows.
pub(super) struct RowMap<T> {
    values: Vec<Option<T>>,
    /// The places that have had a value since the last [`clear`](RowMap::clear).
    used: Vec<usize>,
}

impl<T: Copy> RowMap<T> {
    pub fn new() -> RowMap<T> {
        RowMap { values: Vec::new(), used: Vec::new() }
    }

    pub fn get(&self, row: Row) -> Option<T> {
        self.values.get(row.place()).copied().flatten()
    }

    pub fn insert(&mut self, row: Row, value: T) {
        let place = row.place();
        if place >= self.values.len() {
            self.values.resize(place + 1, None);
        }
        if self.values[place].replace(value).is_none() {
            self.used.push(place);
        }
    }

    pub fn remove(&mut self, row: Row) {
        if let Some(value) = self.values.get_mut(row.place()) {
            *value = None;
        }
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        for place in self.used.drain(..) {
            self.values[place] = None;
        }
    }
}
