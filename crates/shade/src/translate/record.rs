//! The words that a translated program reads from its launch. Positions and sizes are a uniform
//! buffer, binding 0. Together with the floats after them they are a storage buffer, binding 1. The
//! data that temporaries start with have a binding of their own ([`starts`]).
//!
//! Floats are not read from the uniform buffer. lavapipe follows every path through the arithmetic
//! to find conditions that depend only on uniforms. It does not finish if a program computes much
//! from its constants alone.

use crate::abi::places::{CONDITION, OUTPUT, Places};
use crate::abi::results;
use crate::translate::Translation;
use crate::translate::state::State;
use ctm_machine::engine::Checked;
use ctm_machine::launch::Launch;
use std::sync::Arc;

/// Column of the first group's first point.
pub const FIRST_I: u32 = 0;
/// Row of the first group's first point.
pub const FIRST_J: u32 = 1;
/// The domain: i0, j0, i1, j1.
pub const DOMAIN: u32 = 2;
/// The position of the launch's `Counts` in `results`.
pub const RESULT: u32 = 6;
/// The PE's conditional value.
pub const VALUE: u32 = 7;
/// The positions of element (0, 0) of each surface: inputs, outputs, conditional buffer.
pub const SURFACES: u32 = 8;
/// 0.
pub const ZERO: u32 = 29;
/// 1.0.
pub const ONE: u32 = 30;
/// The position of the uniforms.
pub const UNIFORMS: u32 = 32;

/// The expression that reads a float.
pub fn float(n: u32) -> String {
    format!("floats[{n}u]")
}

/// The expression that reads one of the words before the uniforms. Not for floats.
pub fn word(n: u32) -> String {
    format!("launch[{}u].{}", n / 4, ["x", "y", "z", "w"][n as usize % 4])
}

/// The expression for a field of the launch's `Counts` in `results`.
pub fn result(field: &str) -> String {
    format!("results[{} + RESULT_{field}]", word(RESULT))
}

/// The words of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    words: Vec<u32>,
}

impl Record {
    /// The record of a launch, which is the only one in its `results`.
    pub fn new(translation: &Translation, launch: &Checked, places: &Places) -> Record {
        let layout = &translation.layout;
        let mut words = vec![0; layout.words as usize];
        let mut set = |at: u32, value: u32| {
            if let Some(word) = words.get_mut(at as usize) {
                *word = value;
            }
        };
        let domain = &launch.domain;
        let tile = launch.grouping.tile(0);
        set(FIRST_I, tile.i);
        set(FIRST_J, tile.j);
        for (n, bound) in [domain.i0, domain.j0, domain.i1, domain.j1].into_iter().enumerate() {
            set(DOMAIN + n as u32, bound);
        }
        set(RESULT, results::position(0));
        set(VALUE, launch.condition.value);
        set(ONE, ctm_isa::float::ONE);
        let condition = launch.condition.touched();
        let surfaces = launch
            .inputs
            .iter()
            .enumerate()
            .chain(launch.outputs.iter().enumerate().map(|(n, s)| (OUTPUT + n, s)))
            .chain([(CONDITION, &condition)]);
        for (n, surface) in surfaces {
            if let Some(surface) = surface {
                let word = surface.address(0, 0) >> 2;
                // Element (0, 0) may be before the window, by less than 2^30 words, if the domain's
                // first rows are far down. Element indices then wrap into the window.
                let at = word.wrapping_sub(places.0[n]) as i32 / layout.unit as i32;
                set(SURFACES + n as u32, at as u32);
            }
        }
        for (n, value) in launch.lowered.resolve(&launch.constants).into_iter().enumerate() {
            set(UNIFORMS + n as u32, value);
        }
        if let Some(at) = layout.constants {
            for (n, &value) in launch.constants.float.as_flattened().iter().enumerate() {
                set(at + n as u32, value);
            }
        }
        if let (Some(at), Some(interpolants)) = (layout.interpolants, &launch.interpolants) {
            let planes = interpolants.as_flattened().as_flattened();
            for (n, &value) in planes.iter().enumerate() {
                set(at + n as u32, value);
            }
        }
        Record { words }
    }

    /// Size in bytes of the record of a launch.
    pub fn bytes(translation: &Translation) -> u64 {
        4 * u64::from(translation.layout.words)
    }

    /// Position in bytes and value of the word that makes the first group begin `rows` rows further
    /// down.
    pub fn first_row(&self, rows: u32) -> (u64, u32) {
        let first = self.words.get(FIRST_J as usize).copied().unwrap_or(0);
        (4 * u64::from(FIRST_J), first + rows)
    }

    /// All words: the content of both buffers.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Size in bytes of the uniform buffer: the beginning of the words.
    pub fn uniform_bytes() -> u64 {
        4 * u64::from(UNIFORMS)
    }
}

/// The data that temporaries start with, in the order of `starts`; none if the shader reads none.
pub fn starts<'a>(
    launch: &'a Launch,
    translation: &Translation,
    state: &State,
) -> Vec<&'a Arc<Vec<[u32; 4]>>> {
    let data = |temp: &u8| launch.initial.iter().rev().find(|one| one.temp == *temp);
    state
        .initial
        .iter()
        .filter(|_| translation.starts)
        .filter_map(data)
        .map(|initial| &initial.data)
        .collect()
}
