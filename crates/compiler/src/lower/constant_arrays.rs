//! Reads of constants by counters in loops that stay: columns.

use super::induction::{Counters, NOT_BELOW};
use super::{Pointer, Walker};
use ctm_codegen::flow::{BlockId, Column};
use ctm_codegen::graph::{Id, Op};
use ctm_isa::float;
use ctm_isa::isa::FLOAT_CONSTANTS;

/// Most numbers of all columns.
const MAX_NUMBERS: usize = 4 * FLOAT_CONSTANTS;

impl Walker<'_, '_> {
    /// The constants in memory that indices select.
    pub(super) fn column_of(&mut self, pointer: &Pointer) -> Option<Vec<Id>> {
        let reach = pointer.indices.iter().map(|(_, count, stride)| (count - 1) * stride);
        let end = pointer.base + reach.sum::<usize>() + pointer.size;
        let elements = self.memory.get(pointer.base..end)?.to_vec();
        self.column(&pointer.indices, pointer.size, &elements)
    }

    /// `size` numbers that indices select from constants, if they depend on counters of the innermost loop that stays and
    /// on nothing else. Each index has the number of its elements and the scalars of one.
    pub(super) fn column(
        &mut self,
        indices: &[(Id, usize, usize)],
        size: usize,
        elements: &[Id],
    ) -> Option<Vec<Id>> {
        let head = self.indexed()?;
        let constant = |id: &Id| matches!(self.graph.op(*id), Op::Literal(_) | Op::Uniform(_));
        let counts = |(index, ..): &(Id, usize, usize)| self.counts(*index);
        if !elements.iter().all(constant) || !indices.iter().all(counts) {
            return None;
        }
        let elements: std::rc::Rc<[Id]> = elements.into();
        let mut value = Vec::new();
        for first in 0..size {
            let (indices, elements) = (indices.to_vec(), elements.clone());
            let column = Column { head, indices, elements, first, values: Vec::new() };
            let columns = &mut self.flow.columns;
            let known = columns.iter().position(|known| *known == column);
            let n = known.unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            });
            value.push(self.graph.intern(Op::Column(n as u32), &[]));
        }
        self.graph.vector(&value);
        Some(value)
    }

    /// Whether an index depends on counters of the innermost loop that stays, and on nothing else.
    pub(super) fn counts(&self, index: Id) -> bool {
        let Some(head) = self.indexed() else { return false };
        let Some(counters) = self.counters(&[index], head) else { return false };
        // The cells of a loop are set before its two brackets.
        let known = |n: &u32| {
            let cell = self.flow.versions[*n as usize].cell;
            let mut sets = self.flow.blocks[head - 2].sets.iter();
            sets.any(|(set, value)| *set == cell && self.graph.bits(*value).is_some())
        };
        !counters.is_empty() && counters.iter().all(known)
    }

    /// Fills in the constants of a loop's columns for each iteration. Returns whether they are
    /// known.
    pub(super) fn fill(
        &mut self,
        head: BlockId,
        counters: &Counters,
        iterations: Option<usize>,
    ) -> bool {
        let own: Vec<usize> =
            (0..self.flow.columns.len()).filter(|n| self.flow.columns[*n].head == head).collect();
        let iterations = match iterations {
            Some(iterations) => iterations,
            None => return own.is_empty(),
        };
        for n in own {
            let Column { indices, elements, first, .. } = self.flow.columns[n].clone();
            let ids: Vec<Id> = indices.iter().map(|(index, ..)| *index).collect();
            let Some(known) = self.iterate(&ids, counters, iterations) else { return false };
            let select = |values: Vec<u32>| {
                let place = |(index, (_, count, stride)): (u32, &(Id, usize, usize))| {
                    // As comparisons choose: the nearest element.
                    let above = |n: &usize| {
                        let border = (0.5 - *n as f32).to_bits();
                        float::compare(NOT_BELOW, float::add(index, border))
                    };
                    stride * (1..*count).rev().find(above).unwrap_or(0)
                };
                elements[first + values.into_iter().zip(&indices).map(place).sum::<usize>()]
            };
            self.flow.columns[n].values = known.into_iter().map(select).collect();
        }
        let numbers = self.flow.columns.iter().map(|column| column.values.len());
        numbers.sum::<usize>() <= MAX_NUMBERS
    }
}
