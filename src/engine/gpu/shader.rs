//! The interpreter's shader, assembled from the files in `shaders/`.

use super::encode::Uses;
use super::record::MemoryVariant;
use super::trim::trimmed;
use crate::launch::FloatMode;
use crate::ops::Feature;
use std::fmt::Write as _;

/// Where a group's registers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// An array in each point.
    Private,
    /// The buffer of resting groups.
    Buffer,
}

/// One of the interpreter's pipelines: what is compiled in. Anything beyond the need only costs
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Arithmetic.
    pub mode: FloatMode,
    /// Guard level of exact arithmetic, 0 to 2.
    pub guards: u32,
    /// Where registers are stored.
    pub storage: Storage,
    /// Whether stacks and fault records are in workgroup memory.
    pub shared_stacks: bool,
    /// The number of rows and uniforms that fit.
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
    /// Whether it runs in slices.
    pub sliced: bool,
    /// Whether it runs several launches at once.
    pub many: bool,
    /// Whether output 0 is the only output.
    pub one_output: bool,
    /// Whether micro-operations are loaded ahead.
    pub ahead: bool,
}

const MEMORY: &str = include_str!("../../../shaders/memory.wgsl");
const CONSTANTS: &str = include_str!("../../../shaders/constants.wgsl");
const LAUNCH: &str = include_str!("../../../shaders/launch.wgsl");
const REGISTERS_PRIVATE: &str = include_str!("../../../shaders/registers_private.wgsl");
const REGISTERS_BUFFER: &str = include_str!("../../../shaders/registers_buffer.wgsl");
const STACKS_PRIVATE: &str = include_str!("../../../shaders/stacks_private.wgsl");
const STACKS_WORKGROUP: &str = include_str!("../../../shaders/stacks_workgroup.wgsl");
const INTERPRETER: &str = include_str!("../../../shaders/interpreter.wgsl");
const TOGETHER: &str = include_str!("../../../shaders/group.wgsl");
const GROUP: &str = include_str!("../../../shaders/interpreter_group.wgsl");
const POINTS: &str = include_str!("../../../shaders/interpreter_points.wgsl");
const SLICES: &str = include_str!("../../../shaders/interpreter_slices.wgsl");

impl Variant {
    /// A variant with everything compiled in.
    pub fn everything() -> Variant {
        Variant {
            mode: FloatMode::Exact,
            guards: 0,
            storage: Storage::Private,
            shared_stacks: false,
            rows: 64,
            uses: Uses::ALL,
            memory: MemoryVariant::ALL,
            conditions: true,
            starts: true,
            statistics: true,
            sliced: true,
            many: true,
            one_output: false,
            ahead: true,
        }
    }

    /// A variant that nearly every launch in one window can share, with the given mode and guards.
    pub fn common(like: &Variant) -> Variant {
        Variant {
            mode: like.mode,
            guards: like.guards,
            shared_stacks: like.shared_stacks,
            many: like.many,
            ahead: like.ahead,
            storage: Storage::Buffer,
            memory: MemoryVariant { windows: 1, ..MemoryVariant::ALL },
            ..Variant::everything()
        }
    }

    /// All texts that a shader can be made of.
    pub fn parts() -> Vec<&'static str> {
        let mut parts = vec![
            MEMORY,
            CONSTANTS,
            LAUNCH,
            REGISTERS_PRIVATE,
            REGISTERS_BUFFER,
            STACKS_PRIVATE,
            STACKS_WORKGROUP,
            INTERPRETER,
            TOGETHER,
            GROUP,
            POINTS,
            SLICES,
        ];
        parts.extend(super::probe::FLOAT_PARTS);
        parts
    }

    /// The shader's text.
    pub fn source(&self) -> String {
        let mut text = self.switches();
        let registers = match self.storage {
            Storage::Private => REGISTERS_PRIVATE,
            Storage::Buffer => REGISTERS_BUFFER,
        };
        let stacks = if self.shared_stacks { STACKS_WORKGROUP } else { STACKS_PRIVATE };
        text.push_str(&super::probe::float_source(self.guards));
        text.push_str(&format!("\n@group(0) @binding(1) {}\n", self.declaration()));
        for part in
            [MEMORY, CONSTANTS, LAUNCH, registers, stacks, INTERPRETER, TOGETHER, GROUP, POINTS]
        {
            text.push('\n');
            text.push_str(part);
        }
        if self.sliced {
            text.push_str(SLICES);
        }
        if !self.many {
            // Drivers read a fixed position in a uniform buffer once for all points.
            text = text.replace("launches[launch]", "only_launch");
        }
        trimmed(&text, "main")
    }

    /// The declaration that binds the launches.
    fn declaration(&self) -> &'static str {
        if self.many {
            "var<storage, read> launches: array<Launch>;"
        } else {
            "var<uniform> only_launch: Launch;"
        }
    }

    /// The constants before the shader.
    fn switches(&self) -> String {
        let mut text = String::new();
        for feature in Feature::SWITCHED {
            let name = format!("{feature:?}").to_uppercase();
            let _ = writeln!(text, "const {name}: bool = {};", self.uses.has(feature));
        }
        for (name, on) in [
            ("FAST", self.mode == FloatMode::Fast),
            ("CONDITIONS", self.conditions),
            ("STARTS", self.starts),
            ("STATISTICS", self.statistics),
            ("SLICED", self.sliced),
            ("ONE_OUTPUT", self.one_output),
            ("AHEAD", self.ahead),
        ] {
            let _ = writeln!(text, "const {name}: bool = {on};");
        }
        let _ = writeln!(text, "const SAVES_ROWS: bool = {};", self.storage != Storage::Buffer);
        for (name, value) in
            [("ROWS", self.rows), ("SAVED_WORDS", SAVED_WORDS), ("STACK_WORDS", STACK_WORDS)]
        {
            let _ = writeln!(text, "const {name}: u32 = {value}u;");
        }
        text.push_str(&self.memory.wgsl());
        text
    }

    /// Words of a point in `state`, for a program with `rows` rows and uniforms; 0 if it needs
    /// none.
    pub fn state_words(&self, rows: u32) -> u32 {
        if self.sliced || self.storage == Storage::Buffer { SAVED_WORDS + rows } else { 0 }
    }

    /// Whether this variant runs everything that `other` runs, with the same results.
    pub fn covers(&self, other: &Variant) -> bool {
        let implies = |here: bool, there: bool| here || !there;
        let (m, n) = (&self.memory, &other.memory);
        self.mode == other.mode
            && self.guards == other.guards
            && self.shared_stacks == other.shared_stacks
            && self.many == other.many
            && self.ahead == other.ahead
            && implies(!self.one_output, !other.one_output)
            && (self.storage == Storage::Buffer
                || self.storage == other.storage && self.rows >= other.rows)
            && self.uses.union(other.uses) == self.uses
            && m.windows >= n.windows
            && implies(m.tiled, n.tiled)
            && implies(m.superfine, n.superfine)
            && implies(m.repeat, n.repeat)
            && implies(m.integers, n.integers)
            && m.read_words >= n.read_words
            && m.write_words >= n.write_words
            && implies(self.conditions, other.conditions)
            && implies(self.starts, other.starts)
            && implies(self.statistics, other.statistics)
            && implies(self.sliced, other.sliced)
    }

    /// A variant that runs whatever either of the two runs.
    pub fn with(&self, other: &Variant) -> Variant {
        let (m, n) = (&self.memory, &other.memory);
        let buffer = self.storage == Storage::Buffer || other.storage == Storage::Buffer;
        Variant {
            storage: if buffer { Storage::Buffer } else { self.storage },
            rows: self.rows.max(other.rows),
            uses: self.uses.union(other.uses),
            memory: MemoryVariant {
                windows: m.windows.max(n.windows),
                tiled: m.tiled | n.tiled,
                superfine: m.superfine | n.superfine,
                repeat: m.repeat | n.repeat,
                integers: m.integers | n.integers,
                read_words: m.read_words.max(n.read_words),
                write_words: m.write_words.max(n.write_words),
            },
            conditions: self.conditions | other.conditions,
            starts: self.starts | other.starts,
            statistics: self.statistics | other.statistics,
            sliced: self.sliced | other.sliced,
            one_output: self.one_output & other.one_output,
            ..*self
        }
    }
}

/// Words of a point's stacks and fault records.
const STACK_WORDS: u32 = 2 * crate::isa::STACK_DEPTH as u32 + 4 * super::constants::POINT_FAULTS;

/// Words that a resting group keeps of a point, besides its rows.
const SAVED_WORDS: u32 = 25 + STACK_WORDS;

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
        check(Variant { mode: FloatMode::Fast, ..all });
    }

    /// Nothing refers to what a switch leaves out.
    #[test]
    fn every_switch_can_be_off() {
        let switches: [fn(&mut Variant); 14] = [
            |v| v.conditions = false,
            |v| v.starts = false,
            |v| v.statistics = false,
            |v| v.sliced = false,
            |v| v.many = false,
            |v| v.one_output = true,
            |v| v.ahead = false,
            |v| v.shared_stacks = true,
            |v| v.storage = Storage::Buffer,
            |v| v.memory.tiled = false,
            |v| v.memory.superfine = false,
            |v| v.memory.repeat = false,
            |v| v.memory.integers = false,
            |v| (v.memory.read_words, v.memory.write_words) = (1, 2),
        ];
        let mut all_off = Variant::everything();
        for feature in Feature::SWITCHED {
            let all = Variant::everything();
            check(Variant { uses: all.uses.without(feature), ..all });
            all_off.uses = all_off.uses.without(feature);
            check(all_off);
        }
        for off in switches {
            let mut variant = Variant::everything();
            off(&mut variant);
            check(variant);
            off(&mut all_off);
            check(all_off);
        }
        for windows in 1..4 {
            all_off.memory.windows = windows;
            check(all_off);
        }
    }

    #[test]
    fn what_is_switched_off_is_not_there() {
        let all = Variant::everything();
        let few = Variant {
            uses: Uses::default(),
            memory: MemoryVariant::default(),
            conditions: false,
            starts: false,
            statistics: false,
            sliced: false,
            ..all
        };
        let (all, few) = (all.source(), few.source());
        for function in [
            "fn flow_op(",
            "fn x1k_sin(",
            "fn mem_fetch(",
            "fn mem_tiled(",
            "fn load_state(",
            "fn counts_before(",
        ] {
            assert!(all.contains(function), "{function}");
            assert!(!few.contains(function), "{function}");
        }
        assert!(!all.contains("fn fast_"));
        assert!(few.len() < all.len() / 2);
        // Every condition on a constant has been recognised and decided.
        let constant =
            |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        for line in few.lines() {
            let mut words = line.trim_start().split(' ');
            let decided = words.next() == Some("if") && words.next().is_some_and(constant);
            assert!(!decided, "{line}");
        }
    }
}
