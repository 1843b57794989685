//! Constant arrays that loops of the machine read by their induction variables.

use super::induction::{InductionVariables, NOT_BELOW};
use super::{Pointer, Walker};
use ctm_codegen::flow::{BlockId, ConstantArray};
use ctm_codegen::graph::{Id, Op};
use ctm_isa::float;
use ctm_isa::isa::FLOAT_CONSTANTS;

/// Most numbers of all constant arrays.
const MAX_NUMBERS: usize = 4 * FLOAT_CONSTANTS;

impl Walker<'_, '_> {
    /// The constants in memory that indices select.
    pub(super) fn array_at(&mut self, pointer: &Pointer) -> Option<Vec<Id>> {
        let reach = pointer.indices.iter().map(|(_, count, stride)| (count - 1) * stride);
        let end = pointer.base + reach.sum::<usize>() + pointer.size;
        let elements = self.memory.get(pointer.base..end)?.to_vec();
        self.array(&pointer.indices, pointer.size, &elements)
    }

    /// `size` numbers that indices select from constants, if they depend on induction variables of the innermost loop of
    /// the machine and on nothing else. Each index has the number of its elements and the scalars of one.
    pub(super) fn array(
        &mut self,
        indices: &[(Id, usize, usize)],
        size: usize,
        elements: &[Id],
    ) -> Option<Vec<Id>> {
        let head = self.indexed()?;
        let constant = |id: &Id| matches!(self.graph.op(*id), Op::Literal(_) | Op::Uniform(_));
        let counts = |(index, ..): &(Id, usize, usize)| self.is_induction(*index);
        if !elements.iter().all(constant) || !indices.iter().all(counts) {
            return None;
        }
        let elements: std::rc::Rc<[Id]> = elements.into();
        let mut value = Vec::new();
        for first in 0..size {
            let (indices, elements) = (indices.to_vec(), elements.clone());
            let array = ConstantArray { head, indices, elements, first, values: Vec::new() };
            let arrays = &mut self.flow.arrays;
            let known = arrays.iter().position(|known| *known == array);
            let n = known.unwrap_or_else(|| {
                arrays.push(array);
                arrays.len() - 1
            });
            value.push(self.graph.intern(Op::Array(n as u32), &[]));
        }
        self.graph.vector(&value);
        Some(value)
    }

    /// Whether an index depends on induction variables of the innermost loop of the machine, and on nothing else.
    pub(super) fn is_induction(&self, index: Id) -> bool {
        let Some(head) = self.indexed() else { return false };
        let Some(induction) = self.induction_phis(&[index], head) else { return false };
        // The variables of a loop are assigned before its two starts.
        let known = |n: &u32| {
            let variable = self.flow.phis[*n as usize].variable;
            let mut assignments = self.flow.blocks[head - 2].assignments.iter();
            assignments
                .any(|(assigned, value)| *assigned == variable && self.graph.bits(*value).is_some())
        };
        !induction.is_empty() && induction.iter().all(known)
    }

    /// Fills in the elements of a loop's constant arrays for each iteration. Returns whether they are known.
    pub(super) fn fill_arrays(
        &mut self,
        head: BlockId,
        induction: &InductionVariables,
        iterations: Option<usize>,
    ) -> bool {
        let own: Vec<usize> =
            (0..self.flow.arrays.len()).filter(|n| self.flow.arrays[*n].head == head).collect();
        let iterations = match iterations {
            Some(iterations) => iterations,
            None => return own.is_empty(),
        };
        for n in own {
            let ConstantArray { indices, elements, first, .. } = self.flow.arrays[n].clone();
            let ids: Vec<Id> = indices.iter().map(|(index, ..)| *index).collect();
            let Some(known) = self.iterate(&ids, induction, iterations) else { return false };
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
            self.flow.arrays[n].values = known.into_iter().map(select).collect();
        }
        let numbers = self.flow.arrays.iter().map(|array| array.values.len());
        numbers.sum::<usize>() <= MAX_NUMBERS
    }
}
