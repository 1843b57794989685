//! The parts that every reader of a text needs: positions, errors with a caret, tokens, a cursor
//! over them, blocks that must be closed. Assembler and compiler of shaders share it. The module
//! knows no language and nothing of the machine.

mod blocks;
mod cursor;
mod diagnostic;
mod lines;
mod snippet;
mod token;

pub mod numbers;

pub use blocks::{BlockKind, Blocks};
pub use cursor::{At, Cursor};
pub use diagnostic::{Diagnostic, MAX_SOURCE, Mark, Parsed, Severity, Span};
pub use diagnostic::{TextError, TextErrors};
pub use lines::SourceText;
pub use snippet::{Snippet, printable};
pub use token::{Kind, Scanner, Token, is_word, tokens};
