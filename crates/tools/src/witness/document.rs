//! The data of a page about its job, besides its plans.

use ctm_jobs::job::Buffer;
use ctm_machine::memory;
use ctm_shade::plan::space::Space;
use ctm_shade::plan::value::{Bytes, Kept};
use serde::Serialize;

/// An engine without a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Refused {
    /// The engine.
    pub engine: &'static str,
    /// The reason why it has no plan.
    pub reason: String,
}

/// How the picture of a surface shows its values.
#[derive(Clone, Debug, Serialize)]
pub struct Pixels {
    /// The values that are black and white.
    pub range: [f32; 2],
    /// Whether row 0 is at the bottom.
    pub upward: bool,
}

/// A surface. Positions are bytes of the plans' memory.
#[derive(Clone, Debug, Serialize)]
pub struct Surface {
    /// The name in the job.
    name: String,
    /// The name of its format.
    format: &'static str,
    /// The number of channels.
    channels: u32,
    /// Bytes of a channel.
    channel_bytes: u32,
    /// Elements in a row.
    width: u32,
    /// Rows.
    height: u32,
    /// Its position before the first launch.
    start: u64,
    /// Its position after the last one: names may be swapped.
    end: u64,
    /// Bytes from one row to the next, if rows follow each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u32>,
    /// Otherwise: the position of each element relative to the surface, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<u32>,
    /// Its picture, if the page has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels: Option<Pixels>,
}

impl Surface {
    /// The surface of a buffer of a job, from its places before and after the run.
    pub fn new(
        buffer: &Buffer,
        start: &memory::Surface,
        end: &memory::Surface,
        space: &Space,
        contents: &mut Kept<Bytes>,
    ) -> Surface {
        let position = |surface: &memory::Surface| u64::from(surface.base) - space.address(0);
        let from_base = |x: u32, y: u32| end.address(x, y).wrapping_sub(end.base);
        let table = buffer.tiling.is_tiled().then(|| {
            let rows = (0..buffer.height).flat_map(|y| (0..buffer.width).map(move |x| (x, y)));
            let offsets = rows.flat_map(|(x, y)| from_base(x, y).to_le_bytes());
            contents.number(&offsets.collect::<Vec<u8>>()[..])
        });
        Surface {
            name: buffer.name.clone(),
            format: buffer.format.name(),
            channels: buffer.format.channels(),
            channel_bytes: buffer.format.bytes_per_channel(),
            width: buffer.width,
            height: buffer.height,
            start: position(start),
            end: position(end),
            row: table.is_none().then(|| from_base(0, 1)),
            table,
            pixels: None,
        }
    }
}
