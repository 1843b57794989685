//! Packs: many jobs in one file, with their programs and arrays, each once (docs/packs.md).
//!
//! A job is stored as it is after parsing, so running it parses no text and opens no other file. [`Packer`] writes a
//! pack, [`Pack`] reads it; `sound` decides which stored jobs can run. `parts` has the forms of members that serde does
//! not give.
//!
//! Nothing in a file is trusted: each record has a checksum, each place is checked before it is read, and a job that no
//! text could give is an error.

mod parts;
mod read;
mod sound;
mod write;

pub(super) use parts::{constants, keys, no_program, passes, registers, temps};
pub use read::{Pack, PackError, PackProblem};
pub use write::{Packer, Ready, folder};

use super::{Content, Job, JobFiles, Subject};
use ctm_base::named;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of a pack.
pub const MAGIC: [u8; 8] = ctm_lang::load::PACK;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The most passes of a job in a pack: each has constants of its own, 4 KiB.
const MOST_PASSES: usize = 1 << 14;

/// Refuses a number of passes.
fn few_passes(count: usize) -> Result<(), String> {
    let few = count <= MOST_PASSES;
    few.then_some(()).ok_or_else(|| format!("{count} passes, expected at most {MOST_PASSES}"))
}

/// The bytes of the head.
const HEAD: u64 = 16;

/// The bytes of the index about a record: place, kind, hash.
const ENTRY: u64 = 24;

/// The bytes of the foot: place of the index, number of records, hash.
const FOOT: u64 = 24;

named! {
    /// The kinds of records, in the order of their codes.
    Kind {
        Program "program": "An executable.";
        Array "array": "Stored units.";
        Job "job": "A job.";
    }
}

/// The facts about a job that a batch needs before its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The path of its job file: its name in reports.
    pub name: String,
    /// The number that decides to which part of a batch it belongs: [`JobFiles::digest`].
    pub digest: u128,
    /// The files that it names and writes, and the memory that it takes.
    pub files: JobFiles,
}

impl About {
    fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let JobFiles { expected, masks, writes, .. } = &mut self.files;
        expected.iter_mut().chain(masks).chain(writes)
    }
}

/// State registers, in the order in which an executable has them. It cannot have all: those of code outside the program
/// are an error in it, and two that are 0 are not given.
type StateRegisters = [u32; 7];

/// The numbers of the records that a job consists of.
#[derive(Serialize, Deserialize)]
struct Links {
    /// The program of each pass, and its state registers if the executable has others.
    programs: Vec<(u64, Option<StateRegisters>)>,
    /// The arrays: of buffers, of temporaries with initial data pass by pass, of the global registers.
    arrays: Vec<u64>,
}

impl Job {
    /// The paths of the files that it writes or expects.
    fn paths(&mut self) -> Vec<&mut PathBuf> {
        let mut all = Vec::new();
        for buffer in &mut self.buffers {
            all.extend(&mut buffer.save);
            all.extend(&mut buffer.pictures.image);
            all.extend(&mut buffer.pictures.animation);
        }
        all.extend(self.sharing.iter_mut().flat_map(|sharing| &mut sharing.save));
        for expect in &mut self.expects {
            if let Subject::Array { file, mask, .. } = &mut expect.subject {
                all.push(file);
                all.extend(mask);
            }
        }
        all
    }

    /// The units of its arrays, in the order of [`Links::arrays`].
    fn arrays(&self) -> Vec<&[u32]> {
        let of_buffers = self.buffers.iter().filter_map(|buffer| match &buffer.content {
            Content::Array(units) => Some(&units[..]),
            Content::Zero | Content::Fill(_) => None,
        });
        let initial = self.passes.iter().flat_map(|pass| &pass.initial);
        let initial = initial.map(|initial| initial.data.as_flattened());
        let shared = self.sharing.iter().map(|sharing| sharing.registers.globals.as_flattened());
        of_buffers.chain(initial).chain(shared).collect()
    }
}

/// The head of every pack.
fn head() -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let hash = xxh3_64(&head[..12]) as u32;
    head[12..].copy_from_slice(&hash.to_le_bytes());
    head
}
