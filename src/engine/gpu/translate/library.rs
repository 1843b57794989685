//! The functions of `shaders/*.wgsl` that a translation calls, and no others. Functions that a
//! shader does not call need not be read, checked and compiled with it.

use crate::engine::gpu::items::Items;
use std::sync::OnceLock;

const CONSTANTS: &str = include_str!("../../../../shaders/constants.wgsl");
const TABLES: &str = include_str!("../../../../shaders/float_tables.wgsl");
const FLOAT: &str = include_str!("../../../../shaders/float.wgsl");
const INTEGERS: &str = include_str!("../../../../shaders/float_integers.wgsl");
const MEMORY: &str = include_str!("../../../../shaders/memory.wgsl");
const GUARDS: [&str; 3] = [
    include_str!("../../../../shaders/float_guards0.wgsl"),
    include_str!("../../../../shaders/float_guards1.wgsl"),
    include_str!("../../../../shaders/float_guards2.wgsl"),
];

/// All items of a guard level.
fn library(guards: u8) -> &'static Items<'static> {
    static LIBRARIES: [OnceLock<Items>; 3] = [const { OnceLock::new() }; 3];
    let level = usize::from(guards.min(2));
    LIBRARIES[level].get_or_init(|| {
        let mut library = Items::default();
        let integers = if level == 0 { "" } else { INTEGERS };
        for file in [CONSTANTS, TABLES, integers, GUARDS[level], FLOAT, MEMORY] {
            // A translation has its own types and bindings.
            library.add(file, |text| text.starts_with("fn ") || text.starts_with("const "));
        }
        library
    })
}

/// The functions and constants of the files that a shader's text needs, in their order.
pub fn needed(text: &str, guards: u8) -> String {
    library(guards).reached(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_comes_with_what_it_calls() {
        let text = needed("x = x1k_mad(a, b, c, true);", 0);
        for name in
            ["fn x1k_mad(", "fn x1k_add_flushed(", "fn x1k_product_loose(", "const X1K_SIGN"]
        {
            assert!(text.contains(name), "{name}\n{text}");
        }
        for name in ["x1k_sin", "TABLE_", "fast_", "mem_"] {
            assert!(!text.contains(name), "{name}\n{text}");
        }
    }

    #[test]
    fn every_part_is_valid_alone() {
        for guards in 0..3 {
            let functions = library(guards).names(|text| text.starts_with("fn "));
            for name in functions.into_iter().filter(|n| !n.starts_with("mem_")) {
                let text = needed(name, guards);
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
                let mut validator = naga::valid::Validator::new(
                    naga::valid::ValidationFlags::all(),
                    naga::valid::Capabilities::default(),
                );
                validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            }
        }
    }
}
