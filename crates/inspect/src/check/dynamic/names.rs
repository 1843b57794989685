//! The words of the errors.

use ctm_isa::isa::{Place, letters};
use ctm_lang::program::{NameKind, Program};
use ctm_machine::engine::reference::Destination;

/// An error. Registers have the names of the source, else those of the machine.
pub struct Told<'a> {
    /// The program.
    pub program: &'a Program,
    /// The channels involved, over all points.
    pub channels: u8,
    /// The first point.
    pub point: (u32, u32),
}

impl Told<'_> {
    /// A register with this number, and with this letter if the source does not name it.
    pub fn of(&self, kind: NameKind, number: u32, letter: &str) -> String {
        let image = self.program.image();
        image.name_of(kind, number).map_or_else(|| format!("{letter}{number}"), str::to_string)
    }

    /// An input.
    pub fn input(&self, n: usize) -> String {
        self.of(NameKind::Input, n as u32, "i")
    }

    /// A register, without channels.
    pub fn register(&self, place: Place) -> String {
        match place {
            Place::Temp(n, _) => self.of(NameKind::Temp, n as u32, "r"),
            Place::Output(n, _) => self.of(NameKind::Output, n as u32, "o"),
            Place::Constant(n, _) => self.of(NameKind::Float, n as u32, "c"),
            Place::Global(..)
            | Place::Predicate(_)
            | Place::AluResult
            | Place::Own
            | Place::Texel(_) => place.register(),
        }
    }

    /// A register with some of its channels, such as "r5.rg".
    pub fn with(&self, place: Place, channels: u8) -> String {
        match place.channel() {
            Some(_) => format!("{}.{}", self.register(place), letters(channels)),
            None => self.register(place),
        }
    }

    /// A register channel.
    pub fn place(&self, place: Place) -> String {
        self.with(place, place.channel().map_or(0, |channel| 1 << channel))
    }

    /// The name of a write's destination.
    pub fn destination(&self, destination: Destination) -> String {
        match destination {
            Destination::Output(n) => self.register(Place::Output(n, 0)),
            Destination::Uncached => "an uncached write".to_string(),
            Destination::Condition => "the conditional buffer".to_string(),
        }
    }
}
