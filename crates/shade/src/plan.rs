//! Launches as plans: everything that they need of a GPU, without one.
//!
//! `crates/gpu` takes texts, bindings, sizes and dispatches from here and executes them. [`planner`] makes
//! a [`Plan`](value::Plan) of a whole run of launches: a value that another program executes, such as
//! `web/run.js` in a page.
//!
//! * [`space`]: the positions of addresses in buffers; [`prepared`]: a launch for the interpreter;
//!   [`settings`]: the interpreter's variant for it; [`work`]: launches that run together; [`chunks`]: their
//!   dispatches; [`dispatch`]: what those bind, for translated programs as well.
//! * [`value`]: plans and documents; [`planner`]: the plan of launches; [`probe`]: the plans of the probe.

use std::sync::Arc;

pub mod chunks;
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
