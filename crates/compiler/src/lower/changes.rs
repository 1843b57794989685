//! The memory that statements can change, before they run.

use super::{Frame, Pointer, Refused, Value, Walker};
use naga::front::Typifier;
use naga::{Block, Expression, Function, Handle, Statement};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Slots of memory, by the variable that they belong to.
#[derive(Default)]
pub(super) struct Slots {
    /// The start of the variable, the slot.
    slots: BTreeSet<(usize, usize)>,
    /// A statement returns from the function.
    pub returns: bool,
}

impl Slots {
    /// Adds a part of a variable.
    pub fn add(&mut self, part: VariablePart) {
        let end = part.start + part.size + part.reach;
        self.slots.extend((part.start..end).map(|slot| (part.variable, slot)));
    }

    /// Up to four slots of one variable each.
    pub fn vectors(&self) -> Vec<Vec<usize>> {
        let mut vectors: Vec<((usize, usize), Vec<usize>)> = Vec::new();
        let mut seen = BTreeSet::new();
        for (variable, slot) in &self.slots {
            if !seen.insert(*slot) {
                continue;
            }
            let key = (*variable, (slot - variable) / 4);
            match vectors.last_mut() {
                Some((other, slots)) if *other == key => slots.push(*slot),
                _ => vectors.push((key, vec![*slot])),
            }
        }
        vectors.into_iter().map(|(_, slots)| slots).collect()
    }
}

/// A part of a variable. Where indices are not known it is one of several.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct VariablePart {
    /// The start of the variable.
    pub variable: usize,
    /// The start of the first.
    pub start: usize,
    /// The slots of one.
    pub size: usize,
    /// The distance from the first start to the last.
    pub reach: usize,
}

impl VariablePart {
    /// A whole variable.
    pub fn whole(start: usize, size: usize) -> VariablePart {
        VariablePart { variable: start, start, size, reach: 0 }
    }

    fn of(pointer: &Pointer) -> VariablePart {
        let reach = pointer.indices.iter().map(|(_, count, stride)| (count - 1) * stride).sum();
        VariablePart { reach, ..VariablePart::whole(pointer.base, pointer.size) }
    }
}

/// A function whose statements are looked at.
struct Seen<'m> {
    function: &'m Function,
    typifier: Rc<Typifier>,
    /// The memory that arguments point to.
    arguments: Vec<Option<VariablePart>>,
    /// The offsets of local variables, if they are memory that exists.
    locals: Option<Vec<usize>>,
}

impl<'m> Walker<'m, '_> {
    /// Adds what statements of a function that runs can change.
    pub(super) fn changes(
        &mut self,
        frame: &Frame<'m>,
        block: &'m Block,
        slots: &mut Slots,
    ) -> Result<(), Refused> {
        let place = |value: &Value| match value {
            Value::Pointer(pointer) => Some(VariablePart::of(pointer)),
            Value::Scalars(_)
            | Value::Image(_)
            | Value::Sampler
            | Value::Buffer(_)
            | Value::Element(_) => None,
        };
        let seen = Seen {
            function: frame.function,
            typifier: frame.typifier.clone(),
            arguments: frame.arguments.iter().map(place).collect(),
            locals: Some(frame.locals.clone()),
        };
        self.changed(&seen, block, slots, true, 0)
    }

    fn changed(
        &mut self,
        seen: &Seen<'m>,
        block: &'m Block,
        slots: &mut Slots,
        own: bool,
        depth: usize,
    ) -> Result<(), Refused> {
        if depth > super::MAX_DEPTH {
            return self.refuse("statements and calls are nested too deep");
        }
        for statement in block {
            self.step()?;
            match statement {
                Statement::Block(block) => self.changed(seen, block, slots, own, depth + 1)?,
                Statement::If { accept, reject, .. } => {
                    self.changed(seen, accept, slots, own, depth + 1)?;
                    self.changed(seen, reject, slots, own, depth + 1)?;
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.changed(seen, &case.body, slots, own, depth + 1)?;
                    }
                }
                Statement::Loop { body, continuing, .. } => {
                    self.changed(seen, body, slots, own, depth + 1)?;
                    self.changed(seen, continuing, slots, own, depth + 1)?;
                }
                Statement::Return { .. } => slots.returns |= own,
                Statement::Store { pointer, .. } => {
                    self.place(seen, *pointer)?.into_iter().for_each(|part| slots.add(part));
                }
                Statement::ImageStore { image, .. } => {
                    self.place(seen, *image)?.into_iter().for_each(|part| slots.add(part));
                }
                Statement::Call { function: handle, arguments, .. } => {
                    if self.calls.contains(handle) {
                        continue;
                    }
                    let function = &self.module.functions[*handle];
                    let typifier = self.typifier(Some(*handle), function)?;
                    let mut places = Vec::new();
                    for argument in arguments {
                        let place = self.place(seen, *argument)?;
                        // An argument that is one of several is copied back whether it changes or not.
                        place
                            .filter(|part| part.reach > 0)
                            .into_iter()
                            .for_each(|part| slots.add(part));
                        places.push(place);
                    }
                    let called = Seen { function, typifier, arguments: places, locals: None };
                    self.changed(&called, &function.body, slots, false, depth + 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The part of memory that an expression points to.
    fn place(
        &mut self,
        seen: &Seen<'m>,
        expression: Handle<Expression>,
    ) -> Result<Option<VariablePart>, Refused> {
        Ok(match &seen.function.expressions[expression] {
            Expression::LocalVariable(handle) => {
                let size = self.size_of(seen.function.local_variables[*handle].ty)?;
                seen.locals.as_ref().map(|locals| VariablePart::whole(locals[handle.index()], size))
            }
            Expression::GlobalVariable(handle) => match self.globals.get(handle) {
                Some(Value::Pointer(pointer)) => Some(VariablePart::of(pointer)),
                Some(Value::Buffer(n)) => self.buffer_memory(*n),
                _ => None,
            },
            Expression::FunctionArgument(n) => seen.arguments.get(*n as usize).copied().flatten(),
            Expression::AccessIndex { base, index } => match self.place(seen, *base)? {
                Some(part) if !self.is_buffer(part) => {
                    let inner = seen.typifier.get(*base, &self.module.types).clone();
                    let (offset, size) = self.part(&inner, *index as usize)?;
                    Some(VariablePart { start: part.start + offset, size, ..part })
                }
                other => other,
            },
            Expression::Access { base, .. } => match self.place(seen, *base)? {
                Some(part) if !self.is_buffer(part) => {
                    let inner = seen.typifier.get(*base, &self.module.types).clone();
                    let (count, size) = self.parts(&inner)?;
                    Some(VariablePart { size, reach: part.reach + (count - 1) * size, ..part })
                }
                other => other,
            },
            _ => None,
        })
    }
}
