//! Errors and warnings of a source, in the order in which they are found, and the work of finding them.

use crate::version::Version;
use ctm_base::text::{Diagnostic, Severity, Span};
use ctm_base::work::Work;

/// Most errors, after which the rest of a source is not looked at, and most warnings that are kept.
const LIMIT: usize = 200;

/// The errors and warnings of a source.
pub struct Found<'w> {
    /// Errors.
    pub errors: Vec<Diagnostic>,
    /// Warnings: uses that are suspicious or undefined.
    pub warnings: Vec<Diagnostic>,
    work: &'w Work<'w>,
    ended: bool,
}

impl<'w> Found<'w> {
    /// Nothing yet. `work`: the budget.
    pub fn new(work: &'w Work<'w>) -> Found<'w> {
        Found { errors: Vec::new(), warnings: Vec::new(), work, ended: false }
    }

    /// The source is invalid.
    pub fn error(&mut self, error: Diagnostic) {
        if !self.ended {
            self.errors.push(error);
            self.ended = self.errors.len() == LIMIT;
        }
    }

    /// The source is invalid, and nothing can be said of the rest.
    pub fn last(&mut self, error: Diagnostic) {
        self.error(error);
        self.ended = true;
    }

    /// The errors and the warnings.
    pub fn all(self) -> Vec<Diagnostic> {
        self.errors.into_iter().chain(self.warnings).collect()
    }

    /// Whether the rest of the source is not looked at.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Counts work of a part of the front end, before it is done. Whether to continue: if not, the last error is found.
    pub fn spend(&mut self, part: &'static str, units: usize, at: Span) -> bool {
        if let Err(why) = self.work.spend(part, units) {
            self.last(why.error("the source", at));
        }
        !self.ended
    }

    /// The source is suspicious.
    pub fn warning(&mut self, warning: Diagnostic) {
        if self.warnings.len() < LIMIT {
            self.warnings.push(Diagnostic { severity: Severity::Warning, ..warning });
        }
    }

    /// Several warnings.
    pub fn all_warnings(&mut self, warnings: impl IntoIterator<Item = Diagnostic>) {
        warnings.into_iter().for_each(|warning| self.warning(warning));
    }

    /// A use of something that the version forbids and another one has: an error, or a warning if the version is a guess.
    pub fn version(&mut self, version: Version, diagnostic: Diagnostic) {
        if !version.guessed {
            return self.error(diagnostic);
        }
        let guess = format!("without `#version` the source is read as {version}");
        let help = match diagnostic.help {
            Some(help) => format!("{help}; {guess}"),
            None => guess,
        };
        self.warning(Diagnostic { help: Some(help), ..diagnostic });
    }
}
