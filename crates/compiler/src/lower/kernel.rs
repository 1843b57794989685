//! Kernels: buffers and storage textures are inputs and outputs of the machine, a point's invocation is its place.
//!
//! An output takes what its point stores at its own place. A buffer is a surface: `b[id.x]`, or `b[id.y * width + id.x]`, is
//! the element at the point's own place; any other index counts along the rows of the surface.

use super::changes::VariablePart;
use super::{Refused, Value, Walker};
use ctm_codegen::graph::{Id, Node, Op};
use ctm_codegen::ir::OutputChannel;
use ctm_isa::arithmetic::Arithmetic;
use ctm_lang::program::interface::{INVOCATION, Kind, Output, Scalar, Varying, Width};
use naga::{Handle, StorageAccess, StorageFormat, Type, TypeInner};

/// A storage buffer or a storage texture.
pub(super) struct Buffer {
    name: String,
    /// The numbers of an element.
    rows: usize,
    /// The input, if it is read.
    input: Option<u8>,
    /// The output, if it can be written.
    output: Option<u8>,
    /// The slot in memory of the point's stored value, and of whether it has stored one.
    memory: usize,
    /// The widths of rows that the kernel counts with.
    widths: Vec<Result<u32, Scalar>>,
}

/// A part of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    buffer: usize,
    /// The column and the row.
    at: [Id; 2],
    offset: usize,
    size: usize,
}

impl Element {
    /// A part of this part.
    pub fn part(self, offset: usize, size: usize) -> Element {
        Element { offset: self.offset + offset, size, ..self }
    }
}

impl Walker<'_, '_> {
    /// The place of a point: column, row, 0.
    pub(super) fn own_place(&mut self) -> [Id; 3] {
        let [column, row] = [0, 1].map(|n| self.graph.intern(Op::Input(n), &[]));
        if self.interface.varyings.is_empty() {
            let name = INVOCATION.to_string();
            self.interface.varyings.push(Varying { name, rows: 2, kind: Kind::Int, temp: None });
        }
        self.graph.vector(&[column, row]);
        [column, row, self.graph.number(0.0)]
    }

    /// A storage buffer.
    pub(super) fn buffer(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        access: StorageAccess,
    ) -> Result<Value, Refused> {
        let rows = match &self.module.types[ty].inner {
            TypeInner::Array { base, .. } => match &self.module.types[*base].inner {
                TypeInner::Scalar(scalar) if scalar.kind == naga::ScalarKind::Float => Some(1),
                TypeInner::Vector { size, scalar } if scalar.kind == naga::ScalarKind::Float => {
                    Some(*size as usize)
                }
                _ => None,
            },
            _ => None,
        };
        let Some(rows) = rows else {
            let refused =
                self.refuse(format!("the buffer `{name}` has a type that is not possible"));
            return refused.map_err(|error| error.help("use an array of f32 or of vectors of f32"));
        };
        self.resource(name, rows, access)
    }

    pub(super) fn storage_texture(
        &mut self,
        name: &str,
        format: StorageFormat,
        access: StorageAccess,
    ) -> Result<Value, Refused> {
        let rows = match format {
            StorageFormat::R32Float | StorageFormat::R16Unorm => 1,
            StorageFormat::Rg32Float => 2,
            StorageFormat::Rgba32Float | StorageFormat::Rgba8Unorm => 4,
            _ => {
                let refused = self.refuse(format!("the format of `{name}` is not possible"));
                return refused.map_err(|error| {
                    error.help("use r32float, rg32float, rgba32float, rgba8unorm or r16unorm")
                });
            }
        };
        self.resource(name, rows, access)
    }

    fn resource(
        &mut self,
        name: &str,
        rows: usize,
        access: StorageAccess,
    ) -> Result<Value, Refused> {
        if access.contains(StorageAccess::ATOMIC) {
            return self.refuse("the machine has no atomics");
        }
        let output = if access.contains(StorageAccess::STORE) {
            let slot = self.interface.outputs.len();
            if slot == ctm_isa::isa::OUTPUTS {
                return self.refuse(format!(
                    "`{name}` is one output too many: there are {}",
                    ctm_isa::isa::OUTPUTS
                ));
            }
            self.interface.outputs.push(Output { name: name.to_string(), slot: slot as u8 });
            Some(slot as u8)
        } else {
            None
        };
        let zero = self.graph.number(0.0);
        let memory = self.reserve(&vec![zero; rows + 1]);
        let name = name.to_string();
        self.buffers.push(Buffer { name, rows, input: None, output, memory, widths: Vec::new() });
        Ok(Value::Buffer(self.buffers.len() - 1))
    }

    /// The memory of a buffer.
    pub(super) fn buffer_memory(&self, n: usize) -> Option<VariablePart> {
        let Buffer { memory, rows, .. } = self.buffers[n];
        Some(VariablePart::whole(memory, rows + 1))
    }

    /// Whether this is the memory of a buffer.
    pub(super) fn is_buffer(&self, part: VariablePart) -> bool {
        (0..self.buffers.len()).any(|n| self.buffer_memory(n) == Some(part))
    }

    /// The input of a buffer.
    fn input_of(&mut self, n: usize) -> Result<u8, Refused> {
        if let Some(input) = self.buffers[n].input {
            return Ok(input);
        }
        let name = self.buffers[n].name.clone();
        let input = self.sampler(&name)?;
        self.buffers[n].input = Some(input);
        Ok(input)
    }

    /// The width and the height of a buffer.
    fn size_of_buffer(&mut self, n: usize) -> Result<[Id; 2], Refused> {
        if let Some(slot) = self.buffers[n].output.filter(|_| self.scatter) {
            return Ok([0, 1].map(|axis| {
                let scalar = self.interface.scalar(Scalar::OutputSize(slot, axis));
                self.graph.intern(Op::Uniform(scalar), &[])
            }));
        }
        let input = self.input_of(n)?;
        Ok(self.texture_size(input))
    }

    /// The number of elements of a buffer.
    pub(super) fn elements_of(&mut self, n: usize) -> Result<Id, Refused> {
        let [width, height] = self.size_of_buffer(n)?;
        Ok(self.graph.mul(width, height))
    }

    /// Whether an index is the point's own: its column, or its row times a width and its column. Notes the width.
    fn is_own(&mut self, buffer: usize, index: Id) -> bool {
        let input = |id: Id, n: u32| self.graph.op(id) == Op::Input(n);
        let width = |id: Id| match self.graph.op(id) {
            Op::Literal(bits) => Some(Ok(bits)),
            Op::Uniform(n) => Some(Err(self.interface.scalars[n as usize])),
            _ => None,
        };
        // The other operand.
        let beside = |id: Id, wanted: Op, n: u32| {
            let Node { op, args: [a, b, ..] } = self.graph.node(id);
            match op == wanted {
                true if input(a, n) => Some(b),
                true if input(b, n) => Some(a),
                _ => None,
            }
        };
        let row = beside(index, Op::Add, 0);
        let counted = row.and_then(|row| beside(row, Op::Mul, 1)).and_then(width);
        if let Some(counted) = counted
            && !self.buffers[buffer].widths.contains(&counted)
        {
            self.buffers[buffer].widths.push(counted);
            if let Err(Scalar::Uniform(n, _)) = counted {
                self.interface.uniforms[n].used = true;
            }
        }
        input(index, 0) || counted.is_some()
    }

    /// The element of a buffer with an index.
    pub(super) fn element_of(&mut self, buffer: usize, index: Id) -> Result<Value, Refused> {
        if self.is_own(buffer, index) {
            let [column, row, _] = self.own_place();
            return Ok(Value::Element(self.element_at(buffer, [column, row])));
        }
        let width = self.size_of_buffer(buffer)?[0];
        let half = self.graph.number(0.5);
        // In the middle of the element, so that a rounded quotient has the right row.
        let middle = self.graph.add(index, half);
        let quotient = self.graph.div(middle, width);
        let row = self.graph.floor(quotient);
        let before = self.graph.mul(row, width);
        let column = self.graph.sub(middle, before);
        Ok(Value::Element(self.element_at(buffer, [column, row])))
    }

    /// The element at a column and a row.
    pub(super) fn element_at(&mut self, buffer: usize, at: [Id; 2]) -> Element {
        Element { buffer, at, offset: 0, size: self.buffers[buffer].rows }
    }

    fn at_own(&self, at: [Id; 2]) -> bool {
        at.iter().zip(0..).all(|(id, n)| self.graph.op(*id) == Op::Input(n))
    }

    /// Reads an element.
    pub(super) fn load_element(&mut self, element: &Element) -> Result<Vec<Id>, Refused> {
        let Buffer { memory, rows, output, .. } = self.buffers[element.buffer];
        let part = element.offset..element.offset + element.size;
        if output.is_some() && self.scatter {
            return self.refuse("a buffer that is stored to at any place cannot be read");
        }
        if output.is_some() && !self.graph.is(self.memory[memory + rows], 0.0) {
            if self.at_own(element.at) && self.graph.is(self.memory[memory + rows], 1.0) {
                return Ok(self.memory[memory..memory + rows][part].to_vec());
            }
            return self.refuse("a buffer that the point may have changed cannot be read");
        }
        let input = self.input_of(element.buffer)?;
        Ok(self.element(input, element.at)[part].to_vec())
    }

    /// Stores: to the point's own place, or, if writes are uncached, anywhere.
    pub(super) fn store_element(&mut self, element: &Element, value: &[Id]) -> Result<(), Refused> {
        let Buffer { memory, rows, output, .. } = self.buffers[element.buffer];
        if output.is_none() {
            return self.refuse("a buffer that is only read cannot be stored to");
        }
        if self.scatter {
            return match value {
                [value, ..] if rows == 1 && self.interface.outputs.len() == 1 => {
                    self.write(element.at, *value)
                }
                _ => {
                    let message = "a store elsewhere than at the point's own place";
                    self.refuse(message).map_err(|error| {
                        error.help("only a kernel with one output, of single floats, stores anywhere; others at global_invocation_id, as b[id.x]")
                    })
                }
            };
        }
        if !self.at_own(element.at) {
            self.scatters = true;
            return self.refuse("a store elsewhere than at the point's own place");
        }
        let count = element.size.min(value.len());
        let at = memory + element.offset;
        self.store_at(at, &value[..count]);
        self.memory[memory + rows] = self.graph.number(1.0);
        Ok(())
    }

    /// An uncached write. It needs a branch of the machine, unless all points that are in the block make it.
    fn write(&mut self, [column, row]: [Id; 2], value: Id) -> Result<(), Refused> {
        let condition = self.path();
        if self.graph.is(condition, 1.0) {
            if let Some(block) = self.flow.blocks.last_mut() {
                block.writes.push(([value, column, row], self.graph.origin));
                block.origin = self.graph.origin;
            }
            return Ok(());
        }
        if self.flattening > 0 {
            self.must_stay = true;
            return self.refuse("an uncached write is in straight code");
        }
        self.structured_branch(
            condition,
            &mut |walker| walker.write([column, row], value),
            &mut |_| Ok(()),
        )
    }

    /// The outputs of a kernel. Points that store nothing end.
    pub(super) fn stored(&mut self) -> Result<Vec<OutputChannel>, Refused> {
        for Buffer { input, output, widths, .. } in &self.buffers {
            let input = input.map(|input| Scalar::Size(input, 0));
            let output = output.map(|output| Scalar::OutputSize(output, 0));
            for surface in input.into_iter().chain(output) {
                let widths = widths.iter().map(|counted| Width { surface, counted: *counted });
                self.interface.widths.extend(widths);
            }
        }
        let mut outputs = Vec::new();
        if self.scatter {
            return Ok(outputs);
        }
        let mut condition: Option<Id> = None;
        for n in 0..self.buffers.len() {
            let Buffer { memory, rows, output, .. } = self.buffers[n];
            let Some(slot) = output else { continue };
            let stored = self.memory[memory + rows];
            if self.graph.is(stored, 0.0) {
                continue;
            }
            if condition.is_some_and(|condition| condition != stored) {
                return self.refuse("outputs that are stored under different conditions");
            }
            condition = Some(stored);
            let values = self.memory[memory..memory + rows].to_vec();
            self.graph.vector(&values);
            outputs.extend(self.channels(slot, &values, memory));
        }
        if let Some(condition) = condition.filter(|condition| !self.graph.is(*condition, 1.0)) {
            let kill = self.graph.not(condition);
            if let Some(block) = self.flow.blocks.last_mut() {
                block.kills.push((kill, self.graph.origin));
                block.origin = self.graph.origin;
            }
        }
        Ok(outputs)
    }
}
