//! Finds programs in memory, decodes them, and caches them by content.

use std::sync::Arc;

use ctm_lang::elf::{self, ElfError};
use ctm_lang::program::{Program, VerifyErrors};

/// Errors of loading the program at set_inst_fmt's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is not an executable.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// The executable holds an invalid program.
    #[error(transparent)]
    Invalid(#[from] VerifyErrors),
    /// The error of a custom loader.
    #[error("{0}")]
    Other(String),
}

/// Turns bytes in memory into a program.
pub trait ProgramLoader: Send + Sync {
    /// The program whose image is at the beginning of `available`, and the length of the image.
    /// `available` has the bytes up to the end of the arena. The result may depend only on the
    /// image, not on the bytes after it.
    ///
    /// # Errors
    /// [`LoadError`].
    fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError>;
}

/// Loads the ELF executables of the ABI.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElfLoader;

impl ProgramLoader for ElfLoader {
    fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError> {
        let length = elf::length(available)?;
        let image = elf::read(available.get(..length).unwrap_or(available))?;
        Ok((length, Program::new(image)?))
    }
}

/// Programs by their images, the most recently used first.
///
/// The emulator is coherent: a program is looked up by the current contents of memory.
#[derive(Debug, Default)]
pub(super) struct ProgramCache {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    image: Box<[u8]>,
    program: Arc<Program>,
}

/// A client alternates between a few programs.
const MAX_ENTRIES: usize = 32;
/// An image of 512 instructions has about 13 KiB; much larger images are decoded each time.
const MAX_IMAGE: usize = 1 << 16;

impl ProgramCache {
    /// The program at the beginning of `available` and the length of its image, if it is kept.
    pub(super) fn known(&self, available: &[u8]) -> Option<(&Program, usize)> {
        let known = self.entries.iter().find(|entry| available.starts_with(&entry.image));
        known.map(|entry| (&*entry.program, entry.image.len()))
    }

    /// The program at the beginning of `available`, whether it had to be decoded, and the length of
    /// its image.
    pub(super) fn get(
        &mut self,
        available: &[u8],
        loader: &dyn ProgramLoader,
    ) -> Result<(Arc<Program>, bool, usize), LoadError> {
        // An image contains its own length, so an equal beginning means an equal image.
        let hit = self.entries.iter().position(|entry| available.starts_with(&entry.image));
        if let Some(at) = hit {
            self.entries[..=at].rotate_right(1);
            let Entry { image, program } = &self.entries[0];
            return Ok((Arc::clone(program), false, image.len()));
        }
        let (length, program) = loader.load(available)?;
        let program = Arc::new(program);
        if (1..=MAX_IMAGE.min(available.len())).contains(&length) {
            self.entries.truncate(MAX_ENTRIES - 1);
            let entry = Entry { image: available[..length].into(), program: Arc::clone(&program) };
            self.entries.insert(0, entry);
        }
        Ok((program, true, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_lang::program::Image;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The first byte is the length of an image. Counts the decoded images.
    struct Counting(AtomicUsize);

    impl ProgramLoader for Counting {
        fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let words = ctm_isa::isa::Instruction::blank(ctm_isa::isa::Type::Out).encode();
            let program = Program::new(Image::from_words(vec![words]))?;
            Ok((usize::from(available[0]), program))
        }
    }

    #[test]
    fn the_programs_used_last_are_kept() {
        let loader = Counting(AtomicUsize::new(0));
        let mut cache = ProgramCache::default();
        let mut get = |n: u8, after: u8| {
            let bytes = [2, n, after];
            cache.get(&bytes, &loader).expect("always a program").1
        };
        // The bytes after an image do not matter.
        assert!(get(0, 0));
        assert!(!get(0, 1));
        for n in 1..MAX_ENTRIES as u8 {
            assert!(get(n, 0));
        }
        // Program 0 is used again, so program 1 is evicted next.
        assert!(!get(0, 0));
        assert!(get(100, 0));
        assert!(!get(0, 0));
        assert!(get(1, 0));
        assert_eq!(loader.0.load(Ordering::Relaxed), MAX_ENTRIES + 2);
    }

    #[test]
    fn images_without_length_or_out_of_size_are_not_kept() {
        let loader = Counting(AtomicUsize::new(0));
        let mut cache = ProgramCache::default();
        for bytes in [&[0, 1, 2][..], &[9, 1, 2]] {
            for _ in 0..2 {
                let (_, decoded, _) = cache.get(bytes, &loader).expect("always a program");
                assert!(decoded, "{bytes:?}");
            }
        }
    }
}
