//! Converts words to values and back. Every bit survives, reserved and unused ones included.

use super::codes::{AluOp, FieldValue};
use super::table::Field;

/// A part of an instruction with its position. All conversions are inlined: positions are known then, and an
/// instruction takes a tenth of the time.
pub(super) trait Layout {
    /// The fields that hold it.
    type Fields: Copy;
    /// The value in the words.
    fn decode(fields: Self::Fields, words: &[u32; 6]) -> Self;
    /// Puts the value into the words.
    fn encode(&self, fields: Self::Fields, words: &mut [u32; 6]);
}

impl<T: FieldValue> Layout for T {
    type Fields = Field;
    #[inline(always)]
    fn decode(field: Field, words: &[u32; 6]) -> T {
        T::from_code(field.get(words[field.word.index()]))
    }
    #[inline(always)]
    fn encode(&self, field: Field, words: &mut [u32; 6]) {
        let word = &mut words[field.word.index()];
        *word = field.set(*word, self.code());
    }
}

/// The operation of a unit, whose codes depend on the unit.
impl Layout for AluOp {
    type Fields = (usize, Field);
    #[inline(always)]
    fn decode((unit, field): (usize, Field), words: &[u32; 6]) -> AluOp {
        AluOp::from_code(unit, field.get(words[field.word.index()]))
    }
    #[inline(always)]
    fn encode(&self, (unit, field): (usize, Field), words: &mut [u32; 6]) {
        let word = &mut words[field.word.index()];
        *word = field.set(*word, self.code(unit));
    }
}

/// Bits that no field describes, kept at their position: the word, and its mask.
impl Layout for u32 {
    type Fields = (usize, u32);
    fn decode((word, mask): (usize, u32), words: &[u32; 6]) -> u32 {
        words[word] & mask
    }
    fn encode(&self, (word, mask): (usize, u32), words: &mut [u32; 6]) {
        words[word] |= self & mask;
    }
}

/// Arrays, without a loop: in one, positions are not known.
macro_rules! arrays {
    ($($N:literal [$($n:tt $field:ident),*])*) => {
        $(impl<T: Layout> Layout for [T; $N] {
            type Fields = [T::Fields; $N];
            #[inline(always)]
            fn decode([$($field),*]: [T::Fields; $N], words: &[u32; 6]) -> [T; $N] {
                [$(T::decode($field, words)),*]
            }
            #[inline(always)]
            fn encode(&self, [$($field),*]: [T::Fields; $N], words: &mut [u32; 6]) {
                $(self[$n].encode($field, words);)*
            }
        })*
    };
}

arrays! {
    2 [0 a, 1 b]
    3 [0 a, 1 b, 2 c]
    4 [0 a, 1 b, 2 c, 3 d]
    6 [0 a, 1 b, 2 c, 3 d, 4 e, 5 f]
}

/// Declares a part of an instruction. A row `name: Type = fields;` gives a member of the struct and
/// its conversion in both directions. `Type => pattern` takes the position of a part that occurs more
/// than once; `in` lists the words whose fields the rows name.
macro_rules! layout {
    ($(#[$meta:meta])* $Struct:ident: $Position:ty => $position:pat_param in $($module:ident)* {
        $($(#[$doc:meta])* $name:ident: $Type:ty = $fields:expr;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Struct {
            $(#[doc = concat!("`", stringify!($fields), "`.")] $(#[$doc])* pub $name: $Type,)*
        }
        impl Layout for $Struct {
            type Fields = $Position;
            #[inline(always)]
            fn decode($position: $Position, words: &[u32; 6]) -> $Struct {
                #[allow(unused_imports)]
                use super::table::{$($module::*,)*};
                $Struct { $($name: Layout::decode($fields, words),)* }
            }
            #[inline(always)]
            fn encode(&self, $position: $Position, words: &mut [u32; 6]) {
                #[allow(unused_imports)]
                use super::table::{$($module::*,)*};
                $(self.$name.encode($fields, words);)*
            }
        }
    };
}
