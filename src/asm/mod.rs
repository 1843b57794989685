//! The assembly language: assembles text to a program [`crate::program::Image`] and disassembles
//! it.
//!
//! Two levels share one syntax. On the friendly level the source names operands, and the assembler
//! assigns sources, constants and synchronisation bits. On the explicit level the source sets every
//! field of every word by its name in [`crate::isa::table`], so it can express any 192 bits.
//! docs/assembly.md describes the language.
//!
//! `lexer` and `parser` (with `operands` and `conditions`) build the tree in `syntax`. `lower` and
//! its parts (`alu` with `destinations`, `inputs`, `slots`; `fetches`; `flow`) turn statements into
//! instructions. `assemble` builds the program. `explicit`, `friendly` and `listing` print.

mod alu;
mod assemble;
mod conditions;
mod destinations;
mod diagnostics;
mod directives;
mod explicit;
mod fetches;
mod flow;
mod friendly;
mod friendly_alu;
mod inputs;
mod lexer;
mod listing;
mod lower;
mod mnemonics;
mod names;
mod numbers;
mod operands;
mod parser;
mod reference;
mod slots;
mod sync;
mod syntax;

pub use assemble::assemble;
pub use diagnostics::{AsmError, AsmErrors};
pub(crate) use diagnostics::{Diagnostic, Span};
pub use explicit::explicit;
pub use friendly::friendly;
pub use listing::{Style, disassemble, instruction_json, line};
pub use numbers::{inline_code, inline_value};
pub use reference::reference;
