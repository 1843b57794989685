//! The members of commands: which parameters they take, in both directions.

use super::build::{EncodeError, Encoder};
use super::parse::{CommandError, Taken};
use super::table::Opcode;
use super::{ConstantFormat, SurfaceFormat};
use crate::launch::{Domain, Location, Test};

/// A member of a command.
pub(super) trait Member: Sized {
    /// Takes it from the next parameters, which are checked already.
    fn take(words: &mut Taken<'_>) -> Result<Self, CommandError>;
    /// Puts it into the next parameters.
    fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError>;
}

/// Members of one word: the conversion from the word and to it.
macro_rules! word_members {
    ($($Type:ty: $from:expr, $to:expr;)*) => {$(
        impl Member for $Type {
            fn take(words: &mut Taken<'_>) -> Result<Self, CommandError> {
                Ok($from(words.next()))
            }
            fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError> {
                encoder.put($to(*self))
            }
        }
    )*};
}

word_members! {
    bool: |word| word != 0, u32::from;
    u8: |word| word as u8, u32::from;
    u32: |word| word, u32::from;
    Test: Test::from_code, Test::code;
    Location: |word: u32| Location::ALL[word as usize & 1], |location| location as u32;
}

impl Member for Domain {
    fn take(words: &mut Taken<'_>) -> Result<Domain, CommandError> {
        let [i0, j0, i1, j1] = [(); 4].map(|()| words.next());
        Ok(Domain { i0, j0, i1, j1 })
    }
    fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError> {
        [self.i0, self.j0, self.i1, self.j1].into_iter().try_for_each(|bound| encoder.put(bound))
    }
}

impl Member for SurfaceFormat {
    fn take(words: &mut Taken<'_>) -> Result<SurfaceFormat, CommandError> {
        Ok(SurfaceFormat { address: words.next(), layout: words.layout(), height: words.next() })
    }
    fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError> {
        encoder.put(self.address)?;
        encoder.layout(&self.layout)?;
        encoder.put(self.height)
    }
}

impl Member for ConstantFormat {
    fn take(words: &mut Taken<'_>) -> Result<ConstantFormat, CommandError> {
        let address = words.next();
        let Some(layout) = words.optional_layout() else {
            return Ok(ConstantFormat { address, layout: None });
        };
        let expected = constant_size(words.opcode);
        if layout.format.bytes_per_element() != expected {
            return Err(words.refuse_element(layout.format, expected));
        }
        Ok(ConstantFormat { address, layout: Some(layout) })
    }
    fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError> {
        encoder.put(self.address)?;
        let Some(layout) = &self.layout else {
            return encoder.put(0);
        };
        let (found, expected) = (layout.format.bytes_per_element(), constant_size(encoder.opcode));
        if found != expected {
            return encoder.error("element size", found, expected.to_string());
        }
        encoder.layout(layout)
    }
}

/// Bytes of one constant of the kind that a command describes.
fn constant_size(command: Opcode) -> u32 {
    match command {
        Opcode::SetConstfFmt => 16,
        _ => 4,
    }
}
