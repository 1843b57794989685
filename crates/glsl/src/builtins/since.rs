//! The versions and extensions that have something.

use crate::version::Version;

/// The extension that has what the compatibility profile has; that profile turns it on.
pub const COMPATIBILITY: &str = "GL_ARB_compatibility";

/// Versions and extensions that have a function or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first version of ES; 0 for none.
    pub es: u16,
    /// The last one.
    pub es_end: u16,
    /// The first desktop version; 0 for none.
    pub desktop: u16,
    /// The last one.
    pub desktop_end: u16,
    /// Extensions that give it to other versions.
    pub extensions: [Option<&'static str>; 2],
}

impl Since {
    /// From a version of ES and a desktop version on; 0 for never.
    pub const fn new(es: u16, desktop: u16) -> Since {
        Since { es, es_end: u16::MAX, desktop, desktop_end: u16::MAX, extensions: [None, None] }
    }

    /// Or with an extension.
    pub const fn or(self, extension: &'static str) -> Since {
        Since { extensions: [Some(extension), self.extensions[1]], ..self }
    }

    /// Or with a second extension.
    pub const fn or2(self, extension: &'static str) -> Since {
        Since { extensions: [self.extensions[0], Some(extension)], ..self }
    }

    /// Up to a version of ES and a desktop version.
    pub const fn until(self, es: u16, desktop: u16) -> Since {
        Since { es_end: es, desktop_end: desktop, ..self }
    }

    /// Whether a version with these extensions has it.
    pub fn has(&self, version: Version, extensions: &[String]) -> bool {
        let (first, last) =
            if version.es { (self.es, self.es_end) } else { (self.desktop, self.desktop_end) };
        let known = first != 0 && (first..=last).contains(&version.number);
        known
            || self
                .extensions
                .iter()
                .flatten()
                .any(|name| extensions.iter().any(|enabled| enabled == name))
    }

    /// Who has it, in words: "GLSL ES 3.00 and GLSL 1.30".
    pub fn words(&self) -> String {
        let range = |es: bool, first: u16, last: u16| {
            let name = Version { number: first, es, guessed: false, toy: false };
            match last {
                u16::MAX => format!("{name} and later"),
                last if last == first => name.to_string(),
                last => format!("{name} to {}.{:02}", last / 100, last % 100),
            }
        };
        let mut found = Vec::new();
        if self.es != 0 {
            found.push(range(true, self.es, self.es_end));
        }
        if self.desktop != 0 {
            found.push(range(false, self.desktop, self.desktop_end));
        }
        found.extend(self.extensions.iter().flatten().map(|name| match *name {
            COMPATIBILITY => "the profile `compatibility`".to_string(),
            name => format!("the extension `{name}`"),
        }));
        match found.as_slice() {
            [] => "no version".into(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    }
}
