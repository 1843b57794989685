//! The comparison after which RCP and RSQ may start from the adapter's own functions: for every fraction,
//! those of `shaders/float_seeded.wgsl` with those of `shaders/float.wgsl`.

use super::functions::{Function, kernel};
use crate::guards::Guards;
use std::sync::Arc;

const NAMES: [&str; 2] = ["rcp", "rsq"];

/// The signs and exponents that every fraction gets: zeros and denormals, numbers next to the borders and
/// in the middle, with both values of the lowest bit of the exponent, Inf and NaN. In between RCP and RSQ
/// only scale.
const TOPS: [u32; 16] = [
    0x000, 0x001, 0x002, 0x07f, 0x080, 0x0fc, 0x0fd, 0x0fe, 0x0ff, 0x100, 0x101, 0x17f, 0x1fc,
    0x1fd, 0x1fe, 0x1ff,
];

/// Fractions of a tuple.
const FRACTIONS: u32 = 64;

/// The functions of [`kernel`](seeded_kernel): each counts the wrong results for a tuple of [`fractions`].
pub fn seeded() -> Vec<Function> {
    let counting = |name: &str| Function {
        name: format!("wrong results of {name} from a seed"),
        operands: 1,
        wgsl: format!("wrong_{name}(a)"),
        exact: Arc::new(|_| 0),
    };
    NAMES.map(counting).to_vec()
}

/// The first operands of the tuples: together they stand for every fraction.
pub fn fractions() -> Vec<[u32; 4]> {
    (0..1 << 23).step_by(FRACTIONS as usize).map(|first| [first, 0, 0, 0]).collect()
}

/// The kernel of the functions [`seeded`], at a level without seeds ([`Guards::basic`]).
pub fn seeded_kernel(guards: Guards) -> String {
    let tops = TOPS.map(|top| format!("{:#010x}u", top << 23)).join(", ");
    let renamed =
        |text: String, name: &str| text.replace(&format!("x1k_{name}"), &format!("seeded_{name}"));
    let seeds = NAMES.into_iter().fold(ctm_shaders::SEEDED.to_string(), renamed);
    let mut text = kernel(guards, &seeded()) + &seeds;
    for name in NAMES {
        text.push_str(&format!(
            "\n\
             fn wrong_{name}(first: u32) -> u32 {{\n    \
                 var tops = array<u32, {}>({tops});\n    \
                 var wrong = 0u;\n    \
                 for (var n = 0u; n < {}u; n++) {{\n        \
                     let a = tops[n / {FRACTIONS}u] | (first + n % {FRACTIONS}u);\n        \
                     wrong += select(0u, 1u, x1k_{name}(a) != seeded_{name}(a));\n    \
                 }}\n    \
                 return wrong;\n\
             }}\n",
            TOPS.len(),
            TOPS.len() as u32 * FRACTIONS
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::ENTRY;
    use crate::wgsl::trimmed;

    #[test]
    fn the_kernel_compares_both_forms_at_each_level() {
        for guards in Guards::basic().filter(|level| level.fused().is_some()) {
            let text = trimmed(&seeded_kernel(guards), ENTRY);
            naga::front::wgsl::parse_str(&text)
                .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
            for part in ["TABLE_RCP_2", "TABLE_RSQ_3", "1.0 / x", "inverseSqrt(x)"] {
                assert_eq!(
                    text.matches(part).count(),
                    if part.starts_with('T') { 2 } else { 1 },
                    "{part}"
                );
            }
            // The shaders that the comparison allows have the seeds alone.
            let fused = trimmed(
                &kernel(guards.fused().expect("it has"), &crate::probe::functions()),
                ENTRY,
            );
            for (part, there) in
                [("TABLE_RCP_2", false), ("1.0 / x", true), ("inverseSqrt(x)", true)]
            {
                assert_eq!(fused.contains(part), there, "{part}");
            }
        }
    }

    #[test]
    fn every_fraction_is_compared() {
        let fractions = fractions();
        assert_eq!(fractions.len() as u32 * FRACTIONS, 1 << 23);
        assert!(fractions.iter().enumerate().all(|(n, tuple)| tuple[0] == n as u32 * FRACTIONS));
    }
}
