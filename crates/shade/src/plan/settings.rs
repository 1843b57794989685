//! The settings of the interpreter for an adapter.

use crate::abi::encode::{MAX_ROWS, Ready, UNIFORM_BYTES, UNIFORM_OPS};
use crate::guards::Guards;
use crate::plan::prepared::Prepared;
use crate::variant::{Storage, Variant};
use ctm_machine::engine::Checked;
use ctm_machine::launch::FloatMode;
use std::sync::Arc;

/// The most rows and uniforms outside buffers.
const MOST_ROWS: u32 = 64;

/// Bytes of workgroup memory that the interpreter takes beside its registers.
const WORKGROUP_BYTES: u32 = 1 << 10;

/// Bytes of a row of registers in workgroup memory.
const ROW_BYTES: u32 = 4 * 64;

/// The largest instruction budget: executed instructions are counted in 32 bits.
const MAX_BUDGET: u64 = u32::MAX as u64 - 4096;

/// The most vec4s of micro-operations that a group takes in one dispatch on a GPU: short enough for a
/// watchdog.
pub const SLICE: u32 = 1 << 18;

/// The parameters of the interpreter's shaders and dispatches besides the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The storage of registers if they fit.
    pub storage: Storage,
    /// Whether shaders use subgroup operations.
    pub subgroups: bool,
    /// The most vec4s of micro-operations that a group takes in one dispatch.
    pub slice: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// The size in bytes of the largest uniform binding.
    pub uniform_bytes: u64,
}

impl Settings {
    /// For any WebGPU adapter: what the standard guarantees.
    pub const GUARANTEED: Settings = Settings {
        storage: Storage::Workgroup,
        subgroups: false,
        slice: SLICE,
        workgroup_bytes: 16 << 10,
        uniform_bytes: 64 << 10,
    };

    /// Whether a launch's groups may run longer than one dispatch should.
    pub fn is_sliced(&self, plan: &Prepared) -> bool {
        plan.operations().is_none_or(|operations| operations > u64::from(self.slice))
    }

    /// The smallest variant that can run a launch without copies, with a guard level; `many`: perhaps with
    /// others beside it.
    pub fn variant(&self, plan: &Prepared, guards: Guards, many: bool) -> Variant {
        let (launch, rows) = (plan.launch, plan.encoded().rows);
        let most = match self.storage {
            Storage::Workgroup => {
                (self.workgroup_bytes.saturating_sub(WORKGROUP_BYTES) / ROW_BYTES).min(MOST_ROWS)
            }
            Storage::Private => MOST_ROWS,
            Storage::Buffer => 0,
        };
        Variant {
            mode: launch.mode,
            guards,
            storage: if rows <= most { self.storage } else { Storage::Buffer },
            rows: if rows <= most { rows.next_power_of_two().max(32).min(most) } else { MOST_ROWS },
            uses: plan.encoded().uses,
            memory: plan.memory_variant(),
            conditions: plan.has_condition(),
            starts: launch.interpolants.is_some() || !launch.initial.is_empty(),
            statistics: launch.statistics,
            sliced: self.is_sliced(plan),
            many,
            one_output: launch.outputs[1..].iter().all(Option::is_none),
            uniform: !many
                && plan.encoded().flows < UNIFORM_OPS
                && self.uniform_bytes >= UNIFORM_BYTES,
            subgroups: self.subgroups,
        }
    }
}

/// A launch's program in the shader's form.
///
/// # Errors
/// The interpreter cannot run the launch: the reason.
pub fn ready(launch: &Checked) -> Result<Arc<Ready>, String> {
    if launch.limits.instructions > MAX_BUDGET {
        let budget = launch.limits.instructions;
        return Err(format!("an instruction budget of {budget}; the most is {MAX_BUDGET}"));
    }
    let ready = launch
        .program
        .form((launch.started_temps(), launch.mode == FloatMode::Chip), || Ready::new(launch));
    let rows = ready.encoded(&launch.program).rows;
    if rows > MAX_ROWS {
        return Err(format!(
            "the program has {rows} registers and constants; the most is {MAX_ROWS}"
        ));
    }
    Ok(ready)
}
