//! Channels of outputs that no instruction writes.

use super::unused::outputs;
use super::{Finding, Subject};
use crate::check::code::Code;
use ctm_isa::isa::{OUTPUTS, To};
use ctm_lang::asm::mask_text;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let program = subject.program;
    let run = subject.run_by_points();
    if subject.paths.cut {
        return Vec::new();
    }
    // The channels written of each output, and the first instruction that writes it.
    let mut written = [(0, None); OUTPUTS];
    let all = (0..).zip(subject.accesses.iter());
    for (pc, access) in all.filter(|(pc, _)| run[*pc as usize]) {
        // All uncached writes are of output 0.
        if access.writes.iter().any(|write| write.to == To::Uncached) {
            written[0].0 = 15;
        }
        for ((mask, first), channels) in written.iter_mut().zip(outputs(access)) {
            *mask |= channels;
            if channels != 0 {
                first.get_or_insert(pc);
            }
        }
    }
    let listed = program.image().outputs.as_deref().unwrap_or_default();
    (0..)
        .zip(written)
        .filter_map(|(n, (mask, first))| {
            let needed = match subject.bound {
                Some(bound) => {
                    let output = bound.outputs.iter().find(|(output, _)| *output == n);
                    output.map_or(0, |(_, channels)| *channels)
                }
                None if listed.contains(&n) => whole(mask.max(1)),
                None => whole(mask),
            };
            let missing = needed & !mask;
            let name = subject.output(n);
            let finding = |message: String| {
                Finding::new(
                    Code::UnwrittenOutput,
                    first,
                    format!("o{n}.{}", mask_text(missing)),
                    message,
                )
            };
            match (missing, mask) {
                (0, _) => None,
                (_, 0) => Some(finding(format!("no instruction writes output {name}"))),
                _ => {
                    let channels = mask_text(missing);
                    Some(
                        finding(format!("no instruction writes {name}.{channels}"))
                            .label(format!("writes only {name}.{}", mask_text(mask)))
                            .help("elements keep in these channels what memory held before"),
                    )
                }
            }
        })
        .collect()
}

/// The channels of the smallest format that has the channels of a mask: 1, 2 or 4.
fn whole(mask: u8) -> u8 {
    match mask {
        0 => 0,
        1 => 1,
        2..=3 => 3,
        _ => 15,
    }
}
