//! An instruction under construction, and what its construction needs to know of the source.

use super::names::Names;
use super::numbers::Pool;
use ctm_base::text::{At, Span};
use ctm_isa::isa::{Body, Fc, Field, Instruction};

/// The parts of the rest of the source that an instruction needs.
pub(super) struct Context<'a, 's> {
    pub names: &'a Names<'s>,
    pub pool: &'a mut Pool,
}

/// An instruction whose target and synchronisation bits may still be open.
#[derive(Clone, Debug)]
pub(super) struct Draft<'s> {
    pub instruction: Instruction,
    pub span: Span,
    /// The target of a jump.
    pub target: Option<Address<'s>>,
    /// The source gives every bit.
    pub explicit: bool,
    /// The fields that the source gives by flags.
    given: Vec<Field>,
}

/// An address in the program before the slots of labels are known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address<'s> {
    Label(At<&'s str>),
    /// A slot of the program.
    Slot(usize),
}

impl Draft<'_> {
    pub fn new(instruction: Instruction, span: Span) -> Self {
        Draft { instruction, span, target: None, explicit: false, given: Vec::new() }
    }

    /// Sets a field as the source says.
    pub fn give(&mut self, field: &Field, value: u32) {
        let mut words = self.instruction.encode();
        let word = &mut words[field.word.index()];
        *word = field.set(*word, value);
        self.instruction = Instruction::decode_as(&words, self.instruction.sharing);
        self.given.push(*field);
    }

    /// Whether the source gives a field; otherwise the assembler sets it.
    pub fn gives(&self, field: &Field) -> bool {
        self.explicit || self.given.contains(field)
    }

    /// Changes a flow-control instruction.
    pub fn change_fc(&mut self, change: impl FnOnce(&mut Fc)) {
        if let Body::Fc(fc) = &mut self.instruction.body {
            change(fc);
        }
    }
}
