//! The program in memory: found, decoded, and remembered by content.

use std::sync::Arc;

use crate::program::{Program, VerifyErrors};

/// Why the memory at set_inst_fmt's address is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is no executable.
    #[error("{0}")]
    Container(String),
    /// The executable holds an invalid program.
    #[error("invalid program: {0}")]
    Invalid(#[from] VerifyErrors),
}

/// Turns bytes in memory into a program.
pub trait ProgramLoader: Send + Sync {
    /// The program whose image is at the beginning of `available`, the bytes up to the end of
    /// the arena, and the length of the image. The result may depend on the image only, not on
    /// what follows it.
    ///
    /// # Errors
    /// [`LoadError`].
    fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError>;
}

/// Loads the ELF executables of the ABI.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElfLoader;

impl ProgramLoader for ElfLoader {
    fn load(&self, _available: &[u8]) -> Result<(usize, Program), LoadError> {
        Err(LoadError::Container("not yet".to_string()))
    }
}

/// Programs by their images, the most recent first.
///
/// The emulator is coherent: a program is looked up by what memory holds now.
#[derive(Debug, Default)]
pub(super) struct ProgramCache {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    image: Box<[u8]>,
    program: Arc<Program>,
}

/// A client alternates between a handful of programs.
const MAX_ENTRIES: usize = 32;
/// An image of 512 instructions has some 13 KiB; what is much larger is decoded each time.
const MAX_IMAGE: usize = 1 << 16;

impl ProgramCache {
    /// The program at the beginning of `available`, and whether it had to be decoded.
    pub(super) fn get(
        &mut self,
        available: &[u8],
        loader: &dyn ProgramLoader,
    ) -> Result<(Arc<Program>, bool), LoadError> {
        // An image says its own length, so an equal beginning is an equal image.
        let hit = self
            .entries
            .iter()
            .position(|entry| available.starts_with(&entry.image));
        if let Some(at) = hit {
            self.entries[..=at].rotate_right(1);
            return Ok((Arc::clone(&self.entries[0].program), false));
        }
        let (length, program) = loader.load(available)?;
        let program = Arc::new(program);
        if (1..=MAX_IMAGE.min(available.len())).contains(&length) {
            self.entries.truncate(MAX_ENTRIES - 1);
            let entry = Entry {
                image: available[..length].into(),
                program: Arc::clone(&program),
            };
            self.entries.insert(0, entry);
        }
        Ok((program, true))
    }
}
