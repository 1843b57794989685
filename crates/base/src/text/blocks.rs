//! The blocks of structured flow control: which are open, and the errors of words that do not match.

use super::{Diagnostic, Parsed, Span};

/// Maximum number of open blocks: the machine's branch counts have five bits.
const MAX_DEPTH: usize = 31;

/// The kinds of blocks; an `else` continues a block as another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// `if`, to its `else` or end.
    If,
    /// `else`.
    Else,
    /// `loop`.
    Loop,
    /// `rep`.
    Rep,
}

impl BlockKind {
    /// The words that open and close it.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            BlockKind::If => ("if", "endif"),
            BlockKind::Else => ("else", "endif"),
            BlockKind::Loop => ("loop", "endloop"),
            BlockKind::Rep => ("rep", "endrep"),
        }
    }
    /// Whether it repeats.
    pub fn is_loop(self) -> bool {
        matches!(self, BlockKind::Loop | BlockKind::Rep)
    }
}

/// An open block and what its language keeps about it.
pub struct Block<T> {
    pub kind: BlockKind,
    pub data: T,
    span: Span,
}

/// The open blocks, outermost first.
pub struct Blocks<T>(Vec<Block<T>>);

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks(Vec::new())
    }
}

impl<T> Blocks<T> {
    /// Opens a block. It is open even after an error, so that its end is not an error too.
    pub fn open(&mut self, span: Span, kind: BlockKind, data: T) -> Parsed<()> {
        self.0.push(Block { kind, data, span });
        if self.0.len() > MAX_DEPTH {
            return Err(span.error(format!("blocks nest deeper than {MAX_DEPTH}")));
        }
        Ok(())
    }

    /// Continues the innermost block, an `if`, with its `else`.
    pub fn otherwise(&mut self, span: Span) -> Parsed<&mut T> {
        let unmatched = self.unmatched("else", span, "if");
        match self.0.last_mut() {
            Some(block) if block.kind == BlockKind::If => {
                block.kind = BlockKind::Else;
                Ok(&mut block.data)
            }
            Some(Block { kind: BlockKind::Else, .. }) => {
                Err(span.error("a second `else` of the same `if`"))
            }
            _ => Err(unmatched),
        }
    }

    /// Closes the innermost block, which must be of this kind (`Else` counts as `If`).
    pub fn close(&mut self, span: Span, kind: BlockKind) -> Parsed<T> {
        let matching = |found: BlockKind| match found {
            BlockKind::Else => kind == BlockKind::If,
            found => found == kind,
        };
        if let Some(block) = self.0.pop_if(|block| matching(block.kind)) {
            return Ok(block.data);
        }
        let (open, close) = kind.words();
        let error = self.unmatched(close, span, open);
        // If such a block is open, it is probably the intended one.
        let alike = |block: &Block<T>| block.kind.is_loop() == kind.is_loop();
        self.0.truncate(self.0.iter().rposition(alike).unwrap_or(self.0.len()));
        Err(error)
    }

    /// Closes the innermost `count` blocks together; `None` if fewer are open.
    pub fn close_last(&mut self, count: usize) -> Option<Vec<Block<T>>> {
        Some(self.0.split_off(self.0.len().checked_sub(count)?))
    }

    /// The number of open blocks.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether a block of this kind is open.
    pub fn contains(&self, kind: BlockKind) -> bool {
        self.0.iter().any(|block| block.kind == kind)
    }

    /// The innermost loop, which this word needs, and the number of blocks inside it.
    pub fn innermost_loop(&mut self, word: &str, span: Span) -> Parsed<(usize, &mut Block<T>)> {
        let mut inside_out = self.0.iter_mut().rev().enumerate();
        inside_out
            .find(|(_, block)| block.kind.is_loop())
            .ok_or_else(|| span.error(format!("`{word}` outside a loop")))
    }

    /// The error for a word that is not possible inside a block, and the innermost block; `None`
    /// if no block is open.
    pub fn inside(&self, word: &str, span: Span) -> Option<(Diagnostic, BlockKind)> {
        let kind = self.0.last()?.kind;
        Some((span.error(format!("`{word}` inside `{}`", kind.words().0)), kind))
    }

    /// The error for a word that the innermost block does not match.
    fn unmatched(&self, word: &str, span: Span, opening: &str) -> Diagnostic {
        match self.inside(word, span) {
            Some((error, kind)) => {
                error.help(format!("end the block with `{}` first", kind.words().1))
            }
            None => span.error(format!("`{word}` without `{opening}`")),
        }
    }

    /// The errors at the end of the source: blocks that are still open.
    pub fn unended(&self) -> Vec<Diagnostic> {
        let error = |block: &Block<T>| {
            let (open, close) = block.kind.words();
            block.span.error(format!("`{open}` is never ended")).label(format!("add `{close}`"))
        };
        self.0.iter().map(error).collect()
    }
}
