//! The interpreter's shader, assembled from the files in `shaders/`.

use crate::abi::encode::Uses;
use crate::abi::surface::MemoryVariant;
use crate::guards::Guards;
use crate::wgsl;
use ctm_machine::launch::FloatMode;
use std::fmt::Write as _;

/// The storage of a group's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// Workgroup memory.
    Workgroup,
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
    /// Guard level of exact arithmetic.
    pub guards: Guards,
    /// The storage of registers.
    pub storage: Storage,
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
    /// Whether micro-operations are in a uniform buffer, which has room for
    /// [`UNIFORM_OPS`](crate::abi::encode::UNIFORM_OPS). Only for one launch.
    pub uniform: bool,
    /// Whether subgroup operations find the values that are the same for the group. Not for browsers: WGSL's
    /// rules then prove no control flow uniform.
    pub subgroups: bool,
}

impl Variant {
    /// A variant with everything compiled in.
    pub fn everything() -> Variant {
        Variant {
            mode: FloatMode::Exact,
            guards: Guards::Ieee,
            storage: Storage::Workgroup,
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
            many: true,
            one_output: false,
            uniform: false,
            subgroups: false,
        }
    }

    /// A variant that nearly every launch without copies can share, with the given mode and guards.
    pub fn common(like: &Variant) -> Variant {
        Variant {
            mode: like.mode,
            guards: like.guards,
            many: like.many,
            uniform: like.uniform,
            subgroups: like.subgroups,
            storage: Storage::Buffer,
            memory: MemoryVariant { copies: false, ..MemoryVariant::ALL },
            ..Variant::everything()
        }
    }

    /// A variant with every part left out that can be.
    fn nothing() -> Variant {
        Variant {
            uses: Uses::default(),
            memory: MemoryVariant::default(),
            conditions: false,
            starts: false,
            statistics: false,
            sliced: false,
            ..Variant::everything()
        }
    }

    /// Variants of every kind, for tests: each guard level and mode, each part left out alone, and
    /// all parts left out one after the other.
    #[doc(hidden)]
    pub fn samples() -> Vec<Variant> {
        let all = Variant::everything();
        let mut samples = Guards::ALL.map(|guards| Variant { guards, ..all }).to_vec();
        samples.extend([Variant { mode: FloatMode::Fast, ..all }, Variant::nothing()]);
        let switches: [fn(&mut Variant); 23] = [
            |v| v.uses.math = false,
            |v| v.uses.sums = false,
            |v| v.uses.fetches = false,
            |v| v.uses.relative = false,
            |v| v.uses.uncached = false,
            |v| v.uses.kills = false,
            |v| v.uses.quads = false,
            |v| v.uses.flows = false,
            |v| v.conditions = false,
            |v| v.starts = false,
            |v| v.statistics = false,
            |v| v.sliced = false,
            |v| v.many = false,
            |v| v.one_output = true,
            |v| (v.many, v.uniform) = (false, true),
            |v| v.storage = Storage::Private,
            |v| v.storage = Storage::Buffer,
            |v| v.memory.copies = false,
            |v| v.memory.tiled = false,
            |v| v.memory.superfine = false,
            |v| v.memory.repeat = false,
            |v| v.memory.integers = false,
            |v| (v.memory.read_words, v.memory.write_words) = (1, 2),
        ];
        let mut all_off = all;
        for off in switches {
            let mut variant = all;
            off(&mut variant);
            off(&mut all_off);
            samples.extend([variant, all_off]);
        }
        samples
    }

    /// The shader's text.
    pub fn source(&self) -> String {
        let registers = match self.storage {
            Storage::Workgroup => ctm_shaders::REGISTERS_WORKGROUP,
            Storage::Private => ctm_shaders::REGISTERS_PRIVATE,
            Storage::Buffer => ctm_shaders::REGISTERS_BUFFER,
        };
        let mut text = self.constants() + &wgsl::float(self.guards).join("\n");
        for part in [
            self.declaration(),
            if self.uniform {
                ctm_shaders::OPERATIONS_UNIFORM
            } else {
                ctm_shaders::OPERATIONS_STORAGE
            },
            ctm_shaders::MEMORY,
            ctm_shaders::CONSTANTS,
            ctm_shaders::LAUNCH,
            registers,
            ctm_shaders::INTERPRETER,
            ctm_shaders::GROUP,
            ctm_shaders::INTERPRETER_GROUP,
            ctm_shaders::INTERPRETER_POINTS,
            if self.sliced { ctm_shaders::INTERPRETER_SLICES } else { "" },
        ] {
            text.push('\n');
            text.push_str(part);
        }
        if !self.many {
            // Drivers read a fixed position in a uniform buffer once for all points.
            for launch in ["launch", "number", "group.launch", "(*group).launch"] {
                text = text.replace(&format!("launches[{launch}]"), "only_launch");
            }
        }
        wgsl::trimmed(&text, "main")
    }

    /// The declaration that binds the launches.
    fn declaration(&self) -> &'static str {
        if self.many {
            "@group(0) @binding(1) var<storage, read> launches: array<Launch>;\n"
        } else {
            "@group(0) @binding(1) var<uniform> only_launch: Launch;\n"
        }
    }

    /// The constants before the shader.
    fn constants(&self) -> String {
        let mut text = String::new();
        for (name, on) in self.clone().flags() {
            let _ = writeln!(text, "const {name}: bool = {on};");
        }
        for (name, on) in [
            ("FAST", self.mode == FloatMode::Fast),
            ("ONE_OUTPUT", self.one_output),
            ("SUBGROUPS", self.subgroups),
        ] {
            let _ = writeln!(text, "const {name}: bool = {on};");
        }
        let _ = writeln!(text, "const SAVES_ROWS: bool = {};", self.storage != Storage::Buffer);
        for (name, value) in [("ROWS", self.rows), ("SAVED_WORDS", SAVED_WORDS)] {
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

    /// The parts that are compiled in or left out, with their names in the shader.
    fn flags(&mut self) -> [(&'static str, &mut bool); 12] {
        let Uses { math, sums, fetches, relative, uncached, kills, quads, flows } = &mut self.uses;
        [
            ("MATH", math),
            ("SUMS", sums),
            ("FETCHES", fetches),
            ("RELATIVE", relative),
            ("UNCACHED", uncached),
            ("KILLS", kills),
            ("QUADS", quads),
            ("FLOWS", flows),
            ("CONDITIONS", &mut self.conditions),
            ("STARTS", &mut self.starts),
            ("STATISTICS", &mut self.statistics),
            ("SLICED", &mut self.sliced),
        ]
    }

    /// Whether this variant runs everything that `other` runs, with the same results.
    pub fn covers(&self, other: &Variant) -> bool {
        let kind = |v: &Variant| (v.mode, v.guards, v.many, v.subgroups);
        kind(self) == kind(other) && self.with(other) == *self
    }

    /// A variant that runs whatever either of the two runs. They have the same arithmetic and run
    /// equally many launches.
    pub fn with(&self, other: &Variant) -> Variant {
        let mut all = *self;
        for ((_, on), (_, also)) in all.flags().into_iter().zip(other.clone().flags()) {
            *on |= *also;
        }
        if other.storage == Storage::Buffer {
            all.storage = Storage::Buffer;
        }
        if all.storage != Storage::Buffer {
            all.rows = all.rows.max(other.rows);
        }
        all.memory = self.memory.with(&other.memory);
        all.one_output &= other.one_output;
        all.uniform &= other.uniform;
        all
    }
}

/// Words that a resting group keeps of a point, besides its rows: its share of the group's state
/// and stacks, its own state, its fault records.
const SAVED_WORDS: u32 = (15 + 3 * ctm_isa::isa::STACK_DEPTH as u32).div_ceil(64)
    + 12
    + 4 * crate::abi::constants::POINT_FAULTS;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variant: Variant) {
        let source = variant.source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&source)));
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::SUBGROUP,
        )
        .validate(&module)
        .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&source)));
    }

    #[test]
    fn variants_of_every_kind_are_valid() {
        Variant::samples().into_iter().for_each(check);
        let subgroups = |variant| Variant { subgroups: true, ..variant };
        Variant::samples().into_iter().map(subgroups).for_each(check);
    }

    /// Registers of 256 bytes a row, and at most 1 KiB beside them.
    #[test]
    fn workgroup_memory_is_small() {
        for rows in [32, 64] {
            let source = Variant { rows, ..Variant::everything() }.source();
            let module = naga::front::wgsl::parse_str(&source).expect("valid");
            let variables = module.global_variables.iter().map(|(_, variable)| variable);
            let shared =
                variables.filter(|variable| variable.space == naga::AddressSpace::WorkGroup);
            let size = |variable: &naga::GlobalVariable| {
                module.types[variable.ty].inner.size(module.to_ctx())
            };
            let bytes: u32 = shared.map(size).sum();
            assert!((256 * rows..256 * rows + 1024).contains(&bytes), "{rows} rows: {bytes}");
        }
    }

    #[test]
    fn a_variant_covers_what_it_was_joined_from() {
        let all = Variant::everything();
        let (mut some, mut others) = (all, all);
        for (n, (_, on)) in some.flags().into_iter().enumerate() {
            *on = n % 2 == 0;
        }
        for (n, (_, on)) in others.flags().into_iter().enumerate() {
            *on = n % 2 != 0;
        }
        (some.rows, some.one_output, some.memory) = (16, true, MemoryVariant::default());
        let both = some.with(&others);
        assert!(both.covers(&some) && both.covers(&others) && both == all);
        assert!(!some.covers(&others) && !others.covers(&some));
        // Registers in a buffer suffice for any number of rows.
        let buffer = Variant { storage: Storage::Buffer, ..some };
        assert!(buffer.covers(&Variant { rows: 999, ..some }) && !some.covers(&buffer));
        assert!(!all.covers(&Variant { guards: Guards::Normal, ..some }));
        assert!(!some.covers(&Variant { one_output: false, ..some }));
    }

    #[test]
    fn what_is_switched_off_is_not_there() {
        let all = Variant::everything();
        let (all, few) = (all.source(), Variant::nothing().source());
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
