//! The interpreter's shader, joined from the files in `shaders/`.

use super::encode::Uses;
use super::record::MemoryVariant;
use crate::launch::FloatMode;
use std::fmt::Write as _;

/// Where a group's registers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// An array of each point.
    Private,
    /// Workgroup memory.
    Workgroup,
}

/// One of the interpreter's pipelines: what is compiled in. More than needed only costs time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Arithmetic.
    pub mode: FloatMode,
    /// Guard level of exact arithmetic, 0 to 2.
    pub guards: u32,
    /// Where registers are.
    pub storage: Storage,
    /// Rows and uniforms that there is room for.
    pub rows: u32,
    /// Operations.
    pub uses: Uses,
    /// Memory.
    pub memory: MemoryVariant,
    /// The conditional operation.
    pub conditions: bool,
    /// Interpolants and initial data.
    pub starts: bool,
    /// Statistics.
    pub statistics: bool,
    /// Runs in slices.
    pub sliced: bool,
}

const MEMORY: &str = include_str!("../../../shaders/memory.wgsl");
const CONSTANTS: &str = include_str!("../../../shaders/constants.wgsl");
const LAUNCH: &str = include_str!("../../../shaders/launch.wgsl");
const REGISTERS_PRIVATE: &str = include_str!("../../../shaders/registers_private.wgsl");
const REGISTERS_WORKGROUP: &str = include_str!("../../../shaders/registers_workgroup.wgsl");
const INTERPRETER: &str = include_str!("../../../shaders/interpreter.wgsl");
const GROUP: &str = include_str!("../../../shaders/interpreter_group.wgsl");
const POINTS: &str = include_str!("../../../shaders/interpreter_points.wgsl");
const SLICES: &str = include_str!("../../../shaders/interpreter_slices.wgsl");

impl Variant {
    /// Everything compiled in.
    pub fn everything() -> Variant {
        Variant {
            mode: FloatMode::Exact,
            guards: 0,
            storage: Storage::Private,
            rows: 64,
            uses: Uses {
                math: true,
                sums: true,
                fetches: true,
                relative: true,
                uncached: true,
                kills: true,
                quads: true,
                flows: true,
            },
            memory: MemoryVariant::ALL,
            conditions: true,
            starts: true,
            statistics: true,
            sliced: true,
        }
    }

    /// The shader's text.
    pub fn source(&self) -> String {
        let mut text = self.switches();
        let registers = match self.storage {
            Storage::Private => REGISTERS_PRIVATE,
            Storage::Workgroup => REGISTERS_WORKGROUP,
        };
        text.push_str(&super::probe::float_source(self.guards));
        for part in [
            MEMORY,
            CONSTANTS,
            LAUNCH,
            registers,
            INTERPRETER,
            GROUP,
            POINTS,
        ] {
            text.push('\n');
            text.push_str(&live(part));
        }
        if self.sliced {
            text.push_str(&live(SLICES));
        } else {
            // A function must exist to be called behind a switch that is off.
            text.push_str(
                "fn save_state(group: u32, status: u32) {}\n\
                 fn load_state(group: u32) -> u32 { return STATUS_NEW; }\n",
            );
        }
        text
    }

    /// The constants in front of the shader.
    fn switches(&self) -> String {
        let Uses {
            math,
            sums,
            fetches,
            relative,
            uncached,
            kills,
            quads,
            flows,
        } = self.uses;
        let mut text = String::new();
        for (name, on) in [
            ("FAST", self.mode == FloatMode::Fast),
            ("MATH", math),
            ("SUMS", sums),
            ("FETCHES", fetches),
            ("RELATIVE", relative),
            ("UNCACHED", uncached),
            ("KILLS", kills),
            ("QUADS", quads),
            ("FLOWS", flows),
            ("CONDITIONS", self.conditions),
            ("STARTS", self.starts),
            ("STATISTICS", self.statistics),
            ("SLICED", self.sliced),
        ] {
            let _ = writeln!(text, "const {name}: bool = {on};");
        }
        let rows = match self.storage {
            Storage::Private => self.rows,
            // Every row 64 times; uniforms take less, so there is room enough.
            Storage::Workgroup => 64 * self.rows,
        };
        let _ = writeln!(text, "const ROWS: u32 = {rows}u;");
        let _ = writeln!(text, "const ROW_LIMIT: u32 = {}u;", self.rows - 1);
        let _ = writeln!(text, "const STATE_WORDS: u32 = {}u;", self.state_words());
        text.push_str(&self.memory.wgsl());
        text
    }

    /// Words of a point in `state`.
    pub fn state_words(&self) -> u32 {
        19 + 6 + 3 * crate::isa::STACK_DEPTH as u32 + 4 * super::constants::POINT_FAULTS + self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variant: Variant) {
        let source = variant.source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&source)));
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        )
        .validate(&module)
        .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&source)));
    }

    #[test]
    fn every_kind_of_variant_is_valid() {
        let all = Variant::everything();
        check(all);
        for guards in 0..3 {
            check(Variant { guards, ..all });
        }
        let nothing = Variant {
            uses: Uses::default(),
            memory: MemoryVariant::default(),
            conditions: false,
            starts: false,
            statistics: false,
            sliced: false,
            ..all
        };
        check(nothing);
        check(Variant {
            mode: FloatMode::Fast,
            ..all
        });
        check(Variant {
            storage: Storage::Workgroup,
            sliced: false,
            ..all
        });
    }
}

// DEVELOPMENT ONLY
fn live(part: &str) -> String {
    let first = part.lines().next().unwrap_or("");
    if let Ok(dir) = std::env::var("CTM_LIVE") {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            if text.lines().next() == Some(first) {
                return text;
            }
        }
    }
    part.to_string()
}
