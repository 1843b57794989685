//! A shader for naga, and where its parts come from.

use super::words::{OVERRIDABLE, listed};
use ctm_base::text::Span;
use std::collections::{BTreeMap, HashSet};

/// The role of a global variable for the shader's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A value of the job.
    Uniform,
    /// A value of each point.
    Varying,
    /// An output; with the number that the source gives.
    Output(Option<u32>),
}

/// An interface variable of the shader.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The name in the source.
    pub name: String,
    /// Its role.
    pub storage: Storage,
    /// The position of its declaration.
    pub span: Span,
}

/// A shader for naga.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// For each token of the text its offset there and its span in the source.
    pub(super) map: Vec<(usize, Span)>,
    /// The interface variables, by their names in the text.
    pub declared: BTreeMap<String, Declared>,
    /// The functions that the source defines or declares.
    pub(super) functions: HashSet<String>,
}

impl Rewritten {
    /// The meaning of naga's message about a call of an unknown function, if it is known.
    pub fn unknown_function(&self, name: &str) -> Option<(String, &'static str)> {
        let own = self.functions.contains(name);
        let help = if own {
            "functions are declared before they are called; recursion is not possible"
        } else {
            "the types of all arguments count, too: 1 is an int, 1.0 is a float"
        };
        let known = own || listed(OVERRIDABLE, name);
        known.then(|| (format!("no function `{name}` takes these arguments here"), help))
    }

    /// The place in the source of an offset of the text.
    pub fn origin(&self, offset: usize) -> Span {
        self.known(self.map.partition_point(|(at, _)| *at <= offset))
    }

    /// The place in the source where the text begins to fail: the last token of the shortest start of the text that `fails`,
    /// which must be true of all longer ones.
    pub fn place(&self, fails: impl Fn(&str) -> bool) -> Span {
        self.known(self.map.partition_point(|(at, _)| !fails(&self.text[..*at])))
    }

    /// Whether the rewriting made the token at an offset of the text.
    pub fn made(&self, offset: usize) -> bool {
        let after = self.map.partition_point(|(at, _)| *at <= offset);
        self.map[..after].last().is_none_or(|(_, span)| *span == Span::default())
    }

    /// The last place in the source of the first `count` tokens.
    fn known(&self, count: usize) -> Span {
        let known = self.map[..count].iter().rev().find(|(_, span)| *span != Span::default());
        known.map_or(Span::default(), |(_, span)| *span)
    }

    /// Appends a token.
    pub(super) fn push(&mut self, text: &str, span: Span) {
        self.map.push((self.text.len(), span));
        self.text.push_str(text);
        self.text.push(' ');
    }
}
