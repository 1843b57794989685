//! Errors and warnings of a source, in the order in which they are found.

use crate::version::Version;
use ctm_base::text::Diagnostic;

/// Most errors, and most warnings, that are kept.
const LIMIT: usize = 200;

/// What is found in a source.
#[derive(Debug, Default)]
pub struct Found {
    /// What makes the source invalid.
    pub errors: Vec<Diagnostic>,
    /// What is suspicious or undefined.
    pub warnings: Vec<Diagnostic>,
}

impl Found {
    /// The source is invalid.
    pub fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < LIMIT {
            self.errors.push(error);
        }
    }

    /// The source is suspicious.
    pub fn warning(&mut self, warning: Diagnostic) {
        if self.warnings.len() < LIMIT {
            self.warnings.push(warning);
        }
    }

    /// Several warnings.
    pub fn all_warnings(&mut self, warnings: impl IntoIterator<Item = Diagnostic>) {
        warnings.into_iter().for_each(|warning| self.warning(warning));
    }

    /// What the version forbids and another one has: an error, or a warning if the version is a guess.
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
