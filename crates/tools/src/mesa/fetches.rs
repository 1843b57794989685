//! The channels of a texel that a fetch writes, and their destinations. Listings do not print it,
//! the words do.
//!
//! 'register allocation' moves results of fetches to other channels: `TEX temp[9].x` becomes
//! `TEX temp[1].y`, and y still takes channel x of the texel.

use super::listing::{Fetch, Line, Statement};
use super::log::Logged;
use ctm_isa::isa::{Body, Instruction, Tex};

/// From this pass on listings and words have the same fetches.
const MOVES: &str = "register allocation";

/// The listings of a program's passes, with the swizzles of their fetches; or why one cannot be run.
pub fn listings(logged: &Logged) -> Vec<Result<Vec<Line>, String>> {
    let code: Vec<Instruction> = match &logged.code {
        Some((_, Ok(words))) => words.iter().map(Instruction::decode).collect(),
        _ => Vec::new(),
    };
    let code: Vec<(&Tex, u8)> = code.iter().filter_map(fetch).collect();
    let moved = logged.passes.iter().position(|pass| pass.name == MOVES);
    // The masks of the last listing whose swizzles are known.
    let mut before: Option<Vec<u8>> = None;
    let complete = |(n, pass): (usize, &super::log::Pass)| {
        let mut lines = match &pass.listing {
            Err(error) => return Err(error.to_string()),
            Ok(lines) if lines.is_empty() => return Err("the listing is empty".to_string()),
            Ok(lines) => lines.clone(),
        };
        let masks: Vec<u8> = fetches(&lines).map(|(_, fetch)| fetch.write.mask).collect();
        let same = |(tex, wmask): &(&Tex, u8), fetch: &Fetch| {
            tex.input == fetch.unit && *wmask == fetch.write.mask
        };
        let known = moved.is_some_and(|moved| n >= moved)
            && code.len() == masks.len()
            && code.iter().zip(fetches(&lines)).all(|(code, (_, fetch))| same(code, fetch));
        if known {
            let fetches = lines.iter_mut().filter_map(|line| match &mut line.statement {
                Statement::Fetch(fetch) => Some(fetch),
                _ => None,
            });
            for (fetch, (tex, _)) in fetches.zip(&code) {
                fetch.swizzle = tex.dest_swizzle;
            }
        } else if let Some(before) = before
            .as_ref()
            .filter(|before| moved.is_some_and(|moved| n >= moved) && before.len() == masks.len())
        {
            // Fetches may be in another order.
            let mut before = before.clone();
            let is_new = |(_, fetch): &(usize, &Fetch)| {
                let known = before.iter().position(|mask| *mask == fetch.write.mask);
                known.map(|known| before.swap_remove(known)).is_none()
            };
            let new: Vec<(usize, &Fetch)> = fetches(&lines).filter(is_new).collect();
            // A pass may well fetch more channels, or fewer.
            let similar = |a: u8, b: u8| a & b == a || a & b == b;
            let other = |(_, fetch): &&(usize, &Fetch)| {
                !before.iter().any(|mask| similar(fetch.write.mask, *mask))
            };
            if let Some((line, _)) = new.iter().find(other) {
                return Err(format!(
                    "line {line}: a fetch writes other channels than before; only the machine code tells which it takes"
                ));
            }
        }
        before = Some(masks);
        Ok(lines)
    };
    logged.passes.iter().enumerate().map(complete).collect()
}

/// The fetches of a listing with their lines.
fn fetches(lines: &[Line]) -> impl Iterator<Item = (usize, &Fetch)> {
    lines.iter().filter_map(|line| match &line.statement {
        Statement::Fetch(fetch) => Some((line.number, fetch)),
        _ => None,
    })
}

/// The fetch that an instruction is, and the channels that it writes.
fn fetch(instruction: &Instruction) -> Option<(&Tex, u8)> {
    match &instruction.body {
        Body::Tex(tex) if tex.op.fetches() => Some((tex, instruction.common.wmask)),
        _ => None,
    }
}
