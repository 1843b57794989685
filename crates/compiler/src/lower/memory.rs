//! Reads and writes of memory: parts with variable indices are chosen.

use super::{MAX_CHOICES, Pointer, Refused, Walker};
use ctm_codegen::graph::Id;

impl Walker<'_, '_> {
    /// Reads memory.
    pub(super) fn load(&mut self, pointer: &Pointer) -> Result<Vec<Id>, Refused> {
        if pointer.indices.is_empty() {
            return Ok(self.memory[pointer.base..pointer.base + pointer.size].to_vec());
        }
        if let Some(value) = self.array_at(pointer) {
            return Ok(value);
        }
        // Indices that only count come last: they may index constant arrays.
        let first = pointer.indices.iter().position(|(index, ..)| !self.is_induction(*index));
        let mut rest = pointer.indices.clone();
        let (index, count, stride) = rest.remove(first.unwrap_or(0));
        self.affordable(count, pointer.size)?;
        self.step()?;
        let mut value: Option<Vec<Id>> = None;
        for n in 0..count {
            let part = Pointer {
                base: pointer.base + n * stride,
                size: pointer.size,
                indices: rest.clone(),
            };
            let part = self.load(&part)?;
            value = Some(match value {
                None => part,
                Some(value) => self.choose(index, n, &value, &part),
            });
        }
        Ok(value.unwrap_or_default())
    }

    /// `index < n ? below : from`, by components.
    pub(super) fn choose(&mut self, index: Id, n: usize, below: &[Id], from: &[Id]) -> Vec<Id> {
        let border = self.graph.number(0.5 - n as f32);
        let distance = self.graph.add(index, border);
        let value: Vec<Id> = below
            .iter()
            .zip(from)
            .map(|(below, from)| self.graph.cmp(*from, *below, distance))
            .collect();
        self.graph.vector(&value);
        value
    }

    /// Refuses a choice among too many elements.
    pub(super) fn affordable(&self, count: usize, size: usize) -> Result<(), Refused> {
        if count * size > MAX_CHOICES {
            let refused = self
                .refuse(format!("an array of {count} elements cannot be indexed by a variable"));
            return refused.map_err(|error| {
                error.help("use an index that is known when the shader is compiled")
            });
        }
        Ok(())
    }

    pub(super) fn store(&mut self, pointer: &Pointer, value: &[Id]) -> Result<(), Refused> {
        let Some(((index, count, stride), rest)) = pointer.indices.split_first() else {
            if self.data.contains(&pointer.base) {
                self.written.insert(pointer.base);
            }
            let size = pointer.size.min(value.len());
            self.store_at(pointer.base, &value[..size]);
            return Ok(());
        };
        self.affordable(*count, pointer.size)?;
        self.step()?;
        // Each element may be the one that is stored to.
        self.variables.branches += 1;
        for n in 0..*count {
            let part = Pointer {
                base: pointer.base + n * stride,
                size: pointer.size,
                indices: rest.to_vec(),
            };
            let old = self.load(&part)?;
            let number = self.graph.number(n as f32);
            let here = self.equal(*index, number);
            let new: Vec<Id> = value
                .iter()
                .zip(&old)
                .map(|(new, old)| self.graph.select(here, *new, *old))
                .collect();
            self.graph.vector(&new);
            self.store(&part, &new)?;
        }
        self.variables.branches -= 1;
        Ok(())
    }
}
