//! Work cut into dispatches.

use crate::abi::constants::NO_TABLE;
use crate::plan::work::Work;

/// A run of groups for one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The first tile, if the dispatch has one launch. Otherwise 0, and `table` has the tiles.
    pub tile: u64,
    /// Position of the table in the code.
    pub table: u32,
    /// The number of groups.
    pub groups: u64,
}

/// Cuts work into dispatches. With several launches, each dispatch gets a table of (launch, tile)
/// pairs.
pub fn chunks(work: &mut Work, most: u64) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    if let [groups] = work.groups[..] {
        let mut done = 0;
        while done < groups {
            let count = most.min(groups - done);
            chunks.push(Chunk { tile: done, table: NO_TABLE, groups: count });
            done += count;
        }
        return chunks;
    }
    let tiles = work.groups.iter().enumerate();
    let pairs: Vec<[u32; 2]> = tiles
        .flat_map(|(launch, &groups)| (0..groups).map(move |tile| [launch as u32, tile as u32]))
        .collect();
    for pairs in pairs.chunks(most as usize) {
        chunks.push(Chunk { tile: 0, table: work.code.len() as u32, groups: pairs.len() as u64 });
        for two in pairs.chunks(2) {
            let second = two.get(1).copied().unwrap_or_default();
            work.code.push([two[0][0], two[0][1], second[0], second[1]]);
        }
    }
    chunks
}
