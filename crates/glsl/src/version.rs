//! Versions of the language.

use std::fmt;

/// A version of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 100, 300 for ES; 110 to 460 for the desktop.
    pub number: u16,
    /// OpenGL ES.
    pub es: bool,
    /// Whether the source has no `#version`. What only the guess forbids is a warning, not an error.
    pub guessed: bool,
    /// Whether the source is Shadertoy's: `mainImage`, and names that need no declaration.
    pub toy: bool,
}

impl Version {
    /// Whether the version is ES of at least `es`, or a desktop version of at least `desktop`.
    pub fn has(self, es: u16, desktop: u16) -> bool {
        self.number >= if self.es { es } else { desktop }
    }
}

impl Version {
    /// The version in words, with the reason for a guess.
    pub fn described(self) -> String {
        match (self.guessed, self.toy) {
            (false, _) => self.to_string(),
            (true, true) => format!("{self}, as Shadertoy's"),
            (true, false) => format!("{self}, as the source has no #version"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let es = if self.es { "GLSL ES" } else { "GLSL" };
        write!(f, "{es} {}.{:02}", self.number / 100, self.number % 100)
    }
}

/// The extensions that are on, by their names as in `#extension`.
#[derive(Clone, Debug, Default)]
pub struct Extensions(pub Vec<&'static str>);

impl Extensions {
    /// Whether the extension is on.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}
