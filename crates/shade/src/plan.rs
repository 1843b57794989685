//! Launches as plans: everything that they need of a GPU, without one.
//!
//! `crates/gpu` takes texts, bindings, sizes and commands from here and executes them. [`planner`] makes
//! a [`Plan`](value::Plan) of a whole run of launches: a value that another program executes, such as
//! `web/run.js` in a page.
//!
//! * [`space`]: the positions of addresses in buffers; [`prepared`]: a launch for the interpreter;
//!   [`settings`]: the interpreter's variant for it; [`work`]: launches that run together; [`chunks`]: their
//!   dispatches; [`dispatch`]: what those bind, for translated programs as well; [`commands`]: what runs them.
//! * [`value`]: plans and documents; [`planner`]: the plan of launches; [`probe`]: the plans of the probe.

use ctm_machine::engine::Why;
use std::sync::Arc;

pub mod chunks;
pub mod commands;
pub mod dispatch;
pub mod planner;
pub mod prepared;
pub mod probe;
pub mod settings;
pub mod space;
pub mod value;
pub mod work;

/// One value per point of a domain, row by row: the bits of r, g, b, a. Temporaries start with it.
pub type Data = Vec<[u32; 4]>;

/// The size of data in bytes.
pub fn data_bytes(data: &[&Arc<Data>]) -> u64 {
    data.iter().map(|data| size_of_val(&data[..]) as u64).sum()
}

/// The reason why a GPU cannot run a launch whose data do not fit a binding of `most` bytes.
pub fn too_much_data(bytes: u64, most: u64) -> Why {
    let reason = format!(
        "the data that its temporaries start with take {bytes} bytes; a binding has at most {most}"
    );
    Why::new("too much data", reason)
}

#[cfg(test)]
mod tests {
    use crate::abi::results::{Entry, NUMBERS, positions};

    const SCRIPT: &str = include_str!("../../../web/run.js");

    #[test]
    fn the_script_has_the_numbers_of_the_log() {
        let kinds = NUMBERS.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix("LOG_")?;
            Some(format!("{name}: {value}, "))
        });
        let kinds: String = kinds.collect();
        let log = format!("const LOG = {{ {kinds}WORDS: {} }};", Entry::WORDS);
        assert!(SCRIPT.contains(&log), "{log}");
        let fields = positions().into_iter().filter_map(|(name, at)| {
            let name = name.strip_prefix("LOG_")?.to_lowercase();
            (name != "words").then_some((at, name))
        });
        let mut fields: Vec<(u32, String)> = fields.collect();
        fields.sort();
        let names: Vec<String> = fields.into_iter().map(|(_, name)| name).collect();
        let fields = names.join(", ").replace(", data", ", ...data");
        assert!(SCRIPT.contains(&format!("([{fields}])")), "{fields}");
    }
}
