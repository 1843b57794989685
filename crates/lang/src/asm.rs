//! The assembly language: assembles text to a program [`Image`](crate::program::Image) and
//! disassembles it.
//!
//! Two levels share one syntax. On the friendly level the source names operands, and the assembler
//! assigns sources, constants and synchronisation bits. On the explicit level the source sets every
//! field of every word by its name in [`ctm_isa::isa::table`], so it can express any 192 bits.
//! docs/assembly.md describes the language.
//!
//! Down: `lexer` and `parser` (with `operands` and `conditions`) build the tree in `syntax`.
//! `hints` says what to write instead of what other languages have. `encode` (with `alu`, `fetches`, `flow`, `flags`) turns statements into instructions, of which
//! each is a `draft` until all addresses are known. `assemble` builds the program. Up: `explicit`,
//! `friendly` and `listing` print.

mod alu;
mod assemble;
mod conditions;
mod destinations;
mod directives;
mod draft;
mod encode;
mod explicit;
mod fetches;
mod flags;
mod flow;
mod friendly;
mod friendly_alu;
mod hints;
mod inputs;
mod lexer;
mod listing;
mod mnemonics;
mod names;
mod numbers;
mod operands;
mod parser;
mod reference;
mod slots;
mod sync;
pub(crate) mod syntax;

pub use assemble::assemble;
pub(crate) use assemble::{assemble_made, fits, lists};
pub use explicit::explicit;
pub use flags::mask_text;
pub use friendly::friendly;
pub(crate) use inputs::constant_lane;
pub use listing::{Style, disassemble, disassemble_with, instruction_json, line};
pub(crate) use mnemonics::Operation;
pub use numbers::{inline_code, inline_value};
pub use reference::reference;
pub use sync::synchronise;

/// The errors of a source, and one of them.
pub use ctm_base::text::{TextError, TextErrors};
