//! Bounds of the numbers of a launch: its uniforms, the initial data of temporaries, and what is in the
//! float surfaces that it reads.

use crate::translate::flush::Fact;
use ctm_machine::engine::Checked;
use ctm_machine::engine::checked::Reader;
use ctm_machine::memory::Memory;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A bound that holds for all numbers of a launch. There is one bound, not one for each number, so that a
/// program has few shaders. Later variants are stronger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sizes {
    /// Nothing.
    #[default]
    Any,
    /// None is a denormal. Of surfaces only.
    Clean,
    /// Each is 0 or from 2^-31 to 2^31 in magnitude. Of surfaces only.
    Wide,
    /// Each is 0 or from 2^-16 to 2^16 in magnitude.
    Middling,
    /// Each is from 2^-16 to 2^16 in magnitude.
    Nonzero,
}

impl Sizes {
    /// Its fact.
    pub fn fact(self) -> Fact {
        match self {
            Sizes::Any => Fact::UNKNOWN,
            Sizes::Clean => Fact::UNKNOWN.flushed(),
            Sizes::Wide => Fact::WIDE,
            Sizes::Middling => Fact::MIDDLING,
            Sizes::Nonzero => Fact { nonzero: true, ..Fact::MIDDLING },
        }
    }

    /// The most that is certain of numbers.
    pub fn of(numbers: impl Iterator<Item = u32> + Clone) -> Sizes {
        let holds = |sizes: &Sizes| numbers.clone().all(|bits| sizes.fact().holds(bits));
        [Sizes::Nonzero, Sizes::Middling].into_iter().find(holds).unwrap_or(Sizes::Any)
    }
}

/// The bounds of surfaces, strongest first.
const OF_SURFACES: [Sizes; 2] = [Sizes::Wide, Sizes::Clean];

impl Sizes {
    /// The most that a fact says of the numbers of a surface.
    pub fn of_fact(fact: &Fact) -> Sizes {
        let follows = |sizes: &Sizes| sizes.fact().or(fact) == sizes.fact();
        OF_SURFACES.into_iter().find(follows).unwrap_or(Sizes::Any)
    }

    /// The most that is certain of the words in a span of addresses.
    pub fn in_memory(memory: &Memory, span: &Range<u64>) -> Sizes {
        let address = u32::try_from(span.start).ok();
        let bytes =
            address.and_then(|address| memory.slice(address, (span.end - span.start) as usize));
        bytes.map_or(Sizes::Any, Sizes::of_bytes)
    }

    /// The most that is certain of the words of a surface.
    fn of_bytes(bytes: &[u8]) -> Sizes {
        let mut sizes = Sizes::Wide;
        for part in bytes.chunks(1 << 14) {
            let mut all = [true; 2];
            for word in part.as_chunks::<4>().0 {
                let magnitude = u32::from_le_bytes(*word) & 0x7fff_ffff;
                let [wide, clean] = &mut all;
                *wide &= magnitude == 0 || (WIDE_LOW..=WIDE_HIGH).contains(&magnitude);
                *clean &= magnitude == 0 || magnitude >= SMALLEST_NORMAL;
            }
            let found = OF_SURFACES.into_iter().zip(all).find(|(_, all)| *all);
            sizes = sizes.min(found.map_or(Sizes::Any, |(sizes, _)| sizes));
            if sizes == Sizes::Any {
                break;
            }
        }
        sizes
    }
}

const WIDE_LOW: u32 = (127 - 31) << 23;
const WIDE_HIGH: u32 = (127 + 31) << 23;
const SMALLEST_NORMAL: u32 = 0x0080_0000;

/// The bound of the float surfaces that a launch fetches from, from that of the words in a span of
/// addresses. There is one for all, so that a program has few shaders.
pub fn of_texels(launch: &Checked, mut of_span: impl FnMut(&Range<u64>) -> Sizes) -> Sizes {
    let mut sizes = Sizes::Wide;
    for read in &launch.reads {
        let is_input = matches!(read.by, Reader::Input(_));
        if is_input && read.surface.format.bytes_per_channel() == 4 && sizes != Sizes::Any {
            sizes = sizes.min(of_span(&read.span));
        }
    }
    sizes
}

/// One value per point.
type Data = Vec<[u32; 4]>;

/// The data that launches had last. A `Weak` keeps the address of its data from being reused, and the
/// data from being changed.
static LAST: Mutex<Vec<(Weak<Data>, Sizes)>> = Mutex::new(Vec::new());

/// The number of data in [`LAST`].
const KEPT: usize = 32;

/// The bound of data: [`Sizes::Any`] or [`Sizes::Middling`].
pub fn of_data(data: &Arc<Data>) -> Sizes {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, sizes)) = last.iter().find(|(one, _)| one.as_ptr() == Arc::as_ptr(data)) {
        return *sizes;
    }
    let numbers = data.as_flattened().iter().copied();
    let sizes = if numbers.clone().all(is_middling) { Sizes::Middling } else { Sizes::Any };
    if last.len() == KEPT {
        last.remove(0);
    }
    last.push((Arc::downgrade(data), sizes));
    sizes
}

/// Whether [`Fact::MIDDLING`] holds.
fn is_middling(bits: u32) -> bool {
    const LOW: u32 = (127 - 16) << 23;
    const HIGH: u32 = (127 + 16) << 23;
    bits << 1 == 0 || (LOW..=HIGH).contains(&(bits & 0x7fff_ffff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_isa::float;

    #[test]
    fn middling_numbers_are_those_of_the_fact() {
        for exponent in 0..=255u32 {
            for fraction in [0, 1, 0x40_0000, 0x7f_ffff] {
                for sign in [0, 1 << 31] {
                    let bits = sign | exponent << 23 | fraction;
                    assert_eq!(is_middling(bits), Fact::MIDDLING.holds(bits), "{bits:08x}");
                }
            }
        }
    }

    #[test]
    fn words_of_surfaces_have_the_strongest_bound_of_the_facts() {
        let facts = [Sizes::Wide, Sizes::Clean, Sizes::Any];
        for exponent in 0..=255u32 {
            for fraction in [0, 1, 0x40_0000, 0x7f_ffff] {
                for sign in [0, 1 << 31] {
                    let bits = sign | exponent << 23 | fraction;
                    let expected = facts.into_iter().find(|sizes| sizes.fact().holds(bits));
                    // Among others, and as the last one.
                    let mut words = vec![float::ONE; 5000];
                    words[4999] = bits;
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    assert_eq!(Some(Sizes::of_bytes(&bytes)), expected, "{bits:08x}");
                    assert_eq!(Some(Sizes::of_fact(&Fact::constant(bits))), expected, "{bits:08x}");
                }
            }
        }
        assert_eq!(Sizes::of_fact(&Fact::UNKNOWN), Sizes::Any);
        assert_eq!(Sizes::of_fact(&Fact::POSITION), Sizes::Wide);
    }

    #[test]
    fn data_are_looked_at_once() {
        let data = Arc::new(vec![[0x3f80_0000; 4]; 4]);
        assert_eq!(of_data(&data), Sizes::Middling);
        assert_eq!(of_data(&data), Sizes::Middling);
        let others: Vec<_> = (0..2 * KEPT as u32).map(|n| Arc::new(vec![[n; 4]])).collect();
        for (n, other) in others.iter().enumerate() {
            let expected = if n == 0 { Sizes::Middling } else { Sizes::Any };
            assert_eq!(of_data(other), expected);
        }
        assert_eq!(of_data(&data), Sizes::Middling);
        assert!(LAST.lock().unwrap_or_else(PoisonError::into_inner).len() <= KEPT);
    }
}
