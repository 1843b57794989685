//! Words that launches read, other than memory: programs and records. They stay on the GPU until
//! their place is needed, so that a launch like an earlier one uploads nothing.

use crate::device::Grown;
use crate::device::connection::Gpu;
use crate::device::watch::BufferRange;
use crate::memory::ALIGN;
use crate::run::executor::commands::Recorded;
use ctm_machine::engine::GpuError;
use ctm_shade::abi::encode::UNIFORM_BYTES;

/// The least size of the buffer in bytes. After the last entry it has room for a uniform binding, which
/// always has its full size.
const LEAST: u64 = (1 << 18) + UNIFORM_BYTES;

/// The most entries that are looked through.
const ENTRIES: usize = 256;

/// The most bytes of an entry that is found again. Comparing more takes as long as uploading it.
const LONGEST: usize = 1 << 16;

/// The words of the most recent launches.
pub struct Words {
    buffer: Grown,
    /// The entries that can be found again, each with its position.
    kept: Vec<(Vec<u8>, u64)>,
    /// The position after all entries.
    end: u64,
}

impl Default for Words {
    fn default() -> Words {
        use wgpu::BufferUsages as Usage;
        let usage = Usage::STORAGE | Usage::UNIFORM | Usage::COPY_DST;
        Words {
            buffer: Grown::new("programs and launches", usage, LEAST),
            kept: Vec::new(),
            end: 0,
        }
    }
}

impl Words {
    /// The buffer that holds the parts of a launch, and their positions there. Uploads the parts
    /// that it does not hold. If there is no room for them, submits what is recorded and drops all
    /// entries.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn places<const N: usize>(
        &mut self,
        gpu: &Gpu,
        recorded: &mut Recorded,
        parts: [&[u8]; N],
    ) -> Result<(wgpu::Buffer, [u64; N]), GpuError> {
        let missing = parts.into_iter().filter(|part| self.find(part).is_none());
        let (entries, bytes) = missing.fold((0, 0), |(n, sum), part| (n + 1, sum + room(part)));
        if self.end + bytes + UNIFORM_BYTES > self.buffer.size()
            || self.kept.len() + entries > ENTRIES
        {
            // Submitted work keeps the words that it was submitted with.
            recorded.submit(gpu)?;
            self.kept.clear();
            self.end = 0;
        }
        let buffer =
            self.buffer.get(gpu, parts.into_iter().map(room).sum::<u64>() + UNIFORM_BYTES)?;
        let mut places = [0; N];
        for (place, part) in places.iter_mut().zip(parts) {
            *place = match self.find(part) {
                Some(place) => place,
                None => {
                    let place = self.end;
                    gpu.upload("a launch's words", &buffer, place, part)?;
                    self.end += room(part);
                    if part.len() <= LONGEST {
                        self.kept.push((part.to_vec(), place));
                    }
                    place
                }
            };
        }
        Ok((buffer, places))
    }

    fn find(&self, part: &[u8]) -> Option<u64> {
        self.kept.iter().rev().find(|(kept, _)| kept == part).map(|(_, place)| *place)
    }

    /// Writes a word into an entry, which is not found again.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn change(
        &mut self,
        gpu: &Gpu,
        entry: &BufferRange,
        at: u64,
        word: u32,
    ) -> Result<(), GpuError> {
        let (buffer, start, _) = entry;
        self.kept.retain(|(_, place)| place != start);
        gpu.upload("a launch's words", buffer, start + at, &word.to_le_bytes())
    }
}

/// The bytes that a part takes.
fn room(part: &[u8]) -> u64 {
    (part.len() as u64).next_multiple_of(ALIGN)
}
