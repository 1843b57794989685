//! Members of jobs as a pack has them, where serde has no form or a long one.

use ctm_isa::isa::{FLOAT_CONSTANTS, INT_CONSTANTS};
use ctm_lang::asm;
use ctm_lang::program::Program;
use std::sync::{Arc, LazyLock};

/// The program of a pass until the one that the record names is there.
pub fn no_program() -> Arc<Program> {
    static ANY: LazyLock<Arc<Program>> = LazyLock::new(|| {
        let image = asm::assemble("mov o0, r0", "").unwrap_or_default();
        Arc::new(Program::new(image).expect("it is valid"))
    });
    ANY.clone()
}

/// The keys of a location: the index of each in [`KEYS`](keys::KEYS), with its line.
pub mod keys {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    /// The keys that errors after parsing can be about.
    const KEYS: [&str; 6] = ["address", "save", "image", "animation", "file", "mask"];

    type Keys = Vec<(&'static str, u32)>;

    pub fn serialize<S: Serializer>(keys: &Keys, to: S) -> Result<S::Ok, S::Error> {
        let numbered = keys.iter().filter_map(|(key, line)| {
            let number = KEYS.iter().position(|known| known == key)?;
            Some((number, line))
        });
        to.collect_seq(numbered.collect::<Vec<_>>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Keys, D::Error> {
        let numbered = Vec::<(usize, u32)>::deserialize(from)?;
        let key = |(number, line): (usize, u32)| Some((*KEYS.get(number)?, line));
        let keys: Option<Keys> = numbered.into_iter().map(key).collect();
        keys.ok_or_else(|| D::Error::custom("a key of a location that does not exist"))
    }
}

/// Constants: those that are not 0, each as in a literal of a program, and which ones were given.
pub mod constants {
    use super::{Arc, FLOAT_CONSTANTS, INT_CONSTANTS};
    use ctm_lang::program::ConstantKind::{self, Bool, Float, Int};
    use ctm_machine::launch::{Constants, Given};
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    type Values = Vec<(ConstantKind, usize, [u32; 4])>;

    pub fn serialize<S: Serializer>(of: &Arc<Constants>, to: S) -> Result<S::Ok, S::Error> {
        let float = (0..FLOAT_CONSTANTS).map(|n| (Float, n, of.float[n]));
        let int = (0..INT_CONSTANTS).map(|n| {
            let [count, start, step, _] = of.int[n].to_word().to_le_bytes();
            (Int, n, [count, start, step, 0].map(u32::from))
        });
        let bool = (0..Bool.count()).map(|n| (Bool, n, [of.bool >> n & 1, 0, 0, 0]));
        let all = float.chain(int).chain(bool);
        let values: Values = all.filter(|(.., value)| *value != [0; 4]).collect();
        (values, &of.given).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Constants>, D::Error> {
        let (values, given) = <(Values, Option<Given>)>::deserialize(from)?;
        let mut constants = Constants { given, ..Constants::default() };
        for (kind, n, value) in values {
            if n >= kind.count() {
                let text = format!("{kind} constant {n}, the last one is {}", kind.count() - 1);
                return Err(D::Error::custom(text));
            }
            constants.set(kind, n, value);
        }
        Ok(Arc::new(constants))
    }
}

/// Temporaries with initial data: their numbers. The data are arrays of the pack.
pub mod temps {
    use super::Arc;
    use ctm_isa::isa::TEMPORARIES;
    use ctm_machine::launch::Initial;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(all: &[Initial], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|initial| initial.temp))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Initial>, D::Error> {
        let temps = Vec::<u8>::deserialize(from)?;
        if temps.len() > TEMPORARIES {
            return Err(D::Error::custom("more temporaries than there are"));
        }
        Ok(temps.into_iter().map(|temp| Initial { temp, data: Arc::default() }).collect())
    }
}

/// The passes of a job, at most [`MOST_PASSES`](super::MOST_PASSES).
pub mod passes {
    use super::super::super::Pass;
    use super::super::MOST_PASSES;
    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use std::fmt;

    struct Few;

    impl<'de> Visitor<'de> for Few {
        type Value = Vec<Pass>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MOST_PASSES} passes")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<Pass>, A::Error> {
            let mut passes = Vec::new();
            while let Some(pass) = from.next_element()? {
                if passes.len() == MOST_PASSES {
                    return Err(A::Error::invalid_length(MOST_PASSES + 1, &self));
                }
                passes.push(pass);
            }
            Ok(passes)
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Pass>, D::Error> {
        from.deserialize_seq(Few)
    }
}

/// Shared registers: the word of their numbers, and the SIMDs. Their values are an array of the pack.
pub mod registers {
    use super::Arc;
    use ctm_lang::program::Sharing;
    use ctm_machine::launch::Shared;
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::{Serialize, Serializer};

    pub fn serialize<S: Serializer>(of: &Shared, to: S) -> Result<S::Ok, S::Error> {
        (of.sharing.0, of.simds).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Shared, D::Error> {
        let (sharing, simds) = Deserialize::deserialize(from)?;
        Ok(Shared { sharing: Sharing(sharing), simds, globals: Arc::default() })
    }
}
