//! Bounds of the numbers of a launch: its uniforms, and the initial data of temporaries.

use crate::translate::flush::Fact;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A bound that holds for all numbers of a launch. There is one bound, not one for each number, so that a
/// program has few shaders. Later variants are stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sizes {
    /// Nothing.
    Any,
    /// [`Fact::MIDDLING`].
    Middling,
    /// [`Fact::MIDDLING`], and none is 0.
    Nonzero,
}

impl Sizes {
    /// Its fact.
    pub fn fact(self) -> Fact {
        match self {
            Sizes::Any => Fact::UNKNOWN,
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
