//! Whether the order of the pairs of groups that share registers decides the result.

use super::Found;
use crate::check::code::Code;
use crate::check::finding::Finding;
use ctm_isa::isa::LETTERS;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress};
use ctm_machine::launch::{LANES, Shared};
use ctm_machine::memory::Memory;

/// Runs a launch with its pairs in reverse, and compares what it leaves with `outcome` and `after`.
/// `before` is memory before the launch.
///
/// # Errors
/// If it was stopped.
pub(super) fn check(
    launch: &Checked<'_>,
    before: &mut Memory,
    after: &Memory,
    outcome: &Outcome,
    progress: &dyn Progress,
) -> Result<Found, LaunchError> {
    let reversed = Block::reversed().run_checked(launch, before, progress.stop())?;
    let found = match (&launch.shared, &outcome.shared, &reversed.shared) {
        (Some(registers), Some(one), Some(other)) if one != other => {
            let bits = |globals: &[[u32; 4]]| globals.as_flattened().to_vec();
            register(registers, &bits(one), &bits(other))
        }
        _ => memory(after, before),
    };
    let mut all = Found::default();
    if let Some((subject, facts)) = found {
        let message = format!("{subject} depends on the order of the pairs of groups");
        let finding = Finding::new(Code::OrderDependent, None, subject, message)
            .note(None, format!("{facts} with the pairs in reverse"))
            .help("the order is that of the groups' numbers; another number of SIMDs changes it");
        all.findings.extend(vec![finding]);
    }
    Ok(all)
}

/// The first channel of a register that differs, and its values.
fn register(registers: &Shared, one: &[u32], other: &[u32]) -> Option<(String, String)> {
    let at = one.iter().zip(other).position(|(a, b)| a != b)?;
    let (lane, globals) = (at / 4, registers.sharing.globals());
    let (simd, register, channel) =
        (lane / LANES / globals, lane / LANES % globals, LETTERS[at % 4]);
    let value = |bits: u32| format!("{} ({bits:#010x})", f32::from_bits(bits));
    let facts = format!(
        "SIMD {simd}, lane {}: g{register}.{channel} is {}, and {}",
        lane % LANES,
        value(one[at]),
        value(other[at])
    );
    Some((format!("g{register}"), facts))
}

/// The first byte that differs, and its values.
fn memory(one: &Memory, other: &Memory) -> Option<(String, String)> {
    one.ranges().zip(other.ranges()).find_map(|((base, a), (_, b))| {
        let at = a.iter().zip(b).position(|(a, b)| a != b)?;
        let address = u64::from(base) + at as u64;
        let facts = format!("the byte at 0x{address:08x} is 0x{:02x}, and 0x{:02x}", a[at], b[at]);
        Some(("memory".to_string(), facts))
    })
}
