//! Everything one `start_program` needs, as a value.
//!
//! The device builds a [`Launch`] from its state; a library user can build one directly. An engine
//! runs it. It holds no reference to memory: surfaces are descriptions.

use crate::memory::{ALIGNMENT, Format, Surface, Tiling, surface};
use ctm_base::named;
use ctm_isa::isa::{FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS};
use ctm_lang::program::{ConstantKind, Literal, Program, Sharing, ranges};
use std::sync::{Arc, LazyLock};

/// The largest bound of a domain: 12 bits \[G 11\].
pub const MAX_BOUND: u32 = 0xfff;

/// The rectangle of points `i0..=i1` x `j0..=j1`, each bound 0 to 4095 \[G 11\].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub struct Domain {
    /// First column.
    pub i0: u32,
    /// First row.
    pub j0: u32,
    /// Last column.
    pub i1: u32,
    /// Last row.
    pub j1: u32,
}

impl Domain {
    /// Number of columns; 0 if the last is before the first.
    pub fn width(&self) -> u32 {
        self.i1.saturating_add(1).saturating_sub(self.i0)
    }
    /// Number of rows; 0 if the last is before the first.
    pub fn height(&self) -> u32 {
        self.j1.saturating_add(1).saturating_sub(self.j0)
    }
    /// Whether the domain has no points.
    pub fn is_empty(&self) -> bool {
        self.width() == 0 || self.height() == 0
    }
    /// Number of points.
    pub fn points(&self) -> u64 {
        self.width() as u64 * self.height() as u64
    }
    /// Whether the domain contains the point (i, j).
    pub fn contains(&self, i: u32, j: u32) -> bool {
        (self.i0..=self.i1).contains(&i) && (self.j0..=self.j1).contains(&j)
    }
}

/// An integer constant \[G 38\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IntConstant {
    /// Iterations of the loop.
    pub count: u8,
    /// Value of aL in the first iteration.
    pub start: u8,
    /// Added to aL after each iteration.
    pub step: i8,
}

impl IntConstant {
    /// From the four bytes in memory: count, start, step, unused.
    pub fn from_word(word: u32) -> IntConstant {
        let [count, start, step, _] = word.to_le_bytes();
        IntConstant { count, start, step: step as i8 }
    }
    /// From a literal of a program: count, start, step, unused.
    pub fn from_literal([count, start, step, _]: [u32; 4]) -> IntConstant {
        IntConstant { count: count as u8, start: start as u8, step: step as i8 }
    }
    /// The four bytes in memory.
    pub fn to_word(self) -> u32 {
        u32::from_le_bytes([self.count, self.start, self.step as u8, 0])
    }
}

/// The constant files at the start of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// Float constants: the bits of r, g, b, a.
    pub float: Box<[[u32; 4]; FLOAT_CONSTANTS]>,
    /// Integer constants.
    pub int: [IntConstant; INT_CONSTANTS],
    /// Boolean constants, bit n for constant n.
    pub bool: u32,
    /// The constants that were given a value; the others are 0. `None`: not known.
    pub given: Option<Given>,
}

/// Which constants a caller gave values: a set, bit n for constant n. [`Constants::complete`] takes it, to fill in the
/// program's own values and to warn of constants without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Given {
    /// Float constants, 64 in each word.
    pub float: [u64; FLOAT_CONSTANTS / 64],
    /// Integer constants.
    pub int: u32,
    /// Boolean constants.
    pub bool: u32,
}

impl Given {
    /// Adds a constant. Registers that do not exist are ignored.
    pub fn add(&mut self, kind: ConstantKind, n: usize) {
        if n < kind.count() {
            match kind {
                ConstantKind::Float => self.float[n / 64] |= 1 << (n % 64),
                ConstantKind::Int => self.int |= 1 << n,
                ConstantKind::Bool => self.bool |= 1 << n,
            }
        }
    }
    /// Whether it contains a constant.
    pub fn has(&self, kind: ConstantKind, n: usize) -> bool {
        n < kind.count()
            && match kind {
                ConstantKind::Float => self.float[n / 64] >> (n % 64) & 1 != 0,
                ConstantKind::Int => self.int >> n & 1 != 0,
                ConstantKind::Bool => self.bool >> n & 1 != 0,
            }
    }
}

impl Constants {
    /// Zeros, the same ones at each call.
    pub fn zeros() -> Arc<Constants> {
        static ZEROS: LazyLock<Arc<Constants>> = LazyLock::new(Arc::default);
        ZEROS.clone()
    }

    /// Zeros, overwritten by the program's literals. Literals of registers that do not exist are
    /// ignored.
    pub fn with_literals(literals: &[Literal]) -> Constants {
        let mut constants = Constants::default();
        for literal in literals {
            constants.set(literal.kind, literal.addr as usize, literal.value);
        }
        constants
    }

    /// Sets a constant to a value as in [`Literal`]. Registers that do not exist are ignored.
    pub fn set(&mut self, kind: ConstantKind, n: usize, value: [u32; 4]) {
        if n >= kind.count() {
            return;
        }
        match kind {
            ConstantKind::Float => self.float[n] = value,
            ConstantKind::Int => self.int[n] = IntConstant::from_literal(value),
            ConstantKind::Bool => {
                self.bool &= !(1 << n);
                self.bool |= u32::from(value[0] != 0) << n;
            }
        }
    }
}

impl Constants {
    /// Fills in the program's literals where the caller gave no value; `given` has the constants
    /// that it gave. Returns warnings about constants that the program uses and neither gives; they
    /// name the caller `giver`.
    pub fn complete(&mut self, mut given: Given, program: &Program, giver: &str) -> Vec<String> {
        let by_caller = given;
        for literal in &program.image().literals {
            let n = literal.addr as usize;
            if n >= literal.kind.count() || by_caller.has(literal.kind, n) {
                continue;
            }
            given.add(literal.kind, n);
            self.set(literal.kind, n, literal.value);
        }
        self.given = Some(given);
        let uses = program.uses();
        let missing = |kind| -> Vec<u32> {
            let mut numbers = uses.constants(kind);
            // Which float constants aL reaches, only a run can tell.
            numbers
                .retain(|&n| kind != ConstantKind::Float || uses.named_float_constants[n as usize]);
            numbers.retain(|&n| !given.has(kind, n as usize));
            numbers
        };
        let mut warnings: Vec<String> = [
            ("float", ConstantKind::Float),
            ("integer", ConstantKind::Int),
            ("boolean", ConstantKind::Bool),
        ]
        .into_iter()
        .map(|(name, kind)| (name, kind, missing(kind)))
        .filter(|(.., numbers)| !numbers.is_empty())
        .map(|(kind, of, numbers)| {
            let (plural, read) = match numbers.len() {
                1 => ("", "it reads"),
                _ => ("s", "they read"),
            };
            let name_of = |n: &u32| program.image().name_of(of.into(), *n);
            let (named, others): (Vec<u32>, Vec<u32>) =
                numbers.into_iter().partition(|n| name_of(n).is_some());
            let mut numbers = Vec::from_iter(Some(ranges(&others)).filter(|_| !others.is_empty()));
            numbers.extend(named.iter().map(|n| {
                let name = name_of(n).unwrap_or_default();
                format!("{n} `{}`", ctm_base::text::printable(name))
            }));
            let numbers = numbers.join(", ");
            format!(
                "the program uses {kind} constant{plural} {numbers}, which {giver} does not give: \
                 {read} 0"
            )
        })
        .collect();
        if uses.relative_constants && given.float == [0; 4] {
            warnings.push(format!(
                "the program addresses float constants relative to aL, and {giver} gives none: \
                 they read 0"
            ));
        }
        warnings
    }
}

impl Default for Constants {
    fn default() -> Self {
        Constants {
            float: Box::new([[0; 4]; FLOAT_CONSTANTS]),
            int: [IntConstant::default(); INT_CONSTANTS],
            bool: 0,
            given: None,
        }
    }
}

named! {
    /// The condition of a conditional operation, in the order of its codes in set_cond_test \[G 21\].
    #[derive(serde::Serialize, serde::Deserialize)]
    Test {
        Never "NEVER": "0: never passes; reads nothing.";
        Less "LESS": "1: v < b.";
        LessEqual "LESS_EQUAL": "2: v <= b.";
        Equal "EQUAL": "3: v == b.";
        GreaterEqual "GREATER_EQUAL": "4: v >= b.";
        Greater "GREATER": "5: v > b.";
        NotEqual "NOT_EQUAL": "6: v != b.";
        Always "ALWAYS": "7: always passes; reads nothing.";
    }
}

impl Test {
    /// The test with this code (low three bits).
    pub fn from_code(code: u32) -> Test {
        Self::ALL[(code & 7) as usize]
    }
    /// The code.
    pub fn code(self) -> u32 {
        self as u32
    }
    /// Whether the condition reads the buffer: all but NEVER and ALWAYS do.
    pub fn reads_buffer(self) -> bool {
        !matches!(self, Test::Never | Test::Always)
    }
}

named! {
    /// The unit that the conditional operation tests \[G 4, 22\].
    #[derive(serde::Serialize, serde::Deserialize)]
    Location {
        Dpp "DPP": "The array's requests: after the point's program, before its outputs are written.";
        Pe "PE": "The PE's requests: before the point starts; a point that fails is uncovered.";
    }
}

/// The state of the conditional operation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The comparison of the value with the buffer's element.
    pub test: Test,
    /// The requests that are tested.
    pub location: Location,
    /// The PE's value (set_cond_val), raw bits.
    pub value: u32,
    /// The conditional buffer. It must be FLOAT32_1 or UINT16_1 if the operation reads or writes
    /// it. `None`: the buffer was never set, and nothing is written.
    pub buffer: Option<Surface>,
    /// Whether values that pass are written to the buffer (set_cond_out_mask).
    pub write: bool,
}

impl Condition {
    /// The buffer if the operation can read or write it, else `None`. A buffer that is neither read
    /// nor written may have any format.
    pub fn touched(&self) -> Option<Surface> {
        let touches = self.test.reads_buffer() || (self.test == Test::Always && self.write);
        self.buffer.filter(|_| touches)
    }
}

impl Default for Condition {
    /// Power-on: always pass, location DPP, value 0, no buffer.
    fn default() -> Self {
        Condition {
            test: Test::Always,
            location: Location::Dpp,
            value: 0,
            buffer: None,
            write: true,
        }
    }
}

/// A temporary that starts with data, one value per point (an extension of job files).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The temporary, 0 to 127.
    pub temp: u8,
    /// The bits of r, g, b, a for each point of the domain, row by row:
    /// `data[(j - j0) * width + (i - i0)]`.
    pub data: Arc<Vec<[u32; 4]>>,
}

/// One interpolant: for each component the plane a + b x + c y, as binary32 bits `[a, b, c]`.
///
/// At point (i, j), x = i + 0.5 and y = j + 0.5. The value is add(add(a, mul(b, x)), mul(c, y)).
pub type Interpolant = [[u32; 3]; 4];

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// Group instructions that a group may execute before its next flow-control instruction.
    pub instructions: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { instructions: 1 << 24 }
    }
}

named! {
    /// The arithmetic of an engine.
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    FloatMode {
        #[default]
        Exact "exact": "one defined arithmetic, the same bits on every engine and machine, with nearest products where the card cuts";
        Fast "fast": "the host's arithmetic";
        Chip "chip": "a real card's products and sums";
    }
}

/// One `start_program` with all the state that it depends on, except the contents of memory.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: Arc<Program>,
    /// The points.
    pub domain: Domain,
    /// The constants.
    pub constants: Arc<Constants>,
    /// Inputs 0 to 15.
    pub inputs: [Option<Surface>; INPUTS],
    /// Outputs 0 to 3.
    pub outputs: [Option<Surface>; OUTPUTS],
    /// Channels of the outputs that are written, bit n for channel n.
    pub out_mask: u8,
    /// The conditional operation.
    pub condition: Condition,
    /// Temporaries that start with data.
    pub initial: Vec<Initial>,
    /// Temporaries 1 to 7 start with these interpolants, if given (set_params).
    pub interpolants: Option<Arc<[Interpolant; 7]>>,
    /// The shared registers. A launch has them if its program uses data sharing.
    pub shared: Option<Shared>,
    /// Limits.
    pub limits: Limits,
    /// Arithmetic.
    pub mode: FloatMode,
    /// Whether statistics are collected.
    pub statistics: bool,
}

/// The points of a group: the lanes of a shared register.
pub const LANES: usize = 64;

/// The bits of r, g, b, a of each lane of each global register of each SIMD, as in [`Shared`].
pub type Globals = Arc<Vec<[u32; 4]>>;

/// The shared registers of a launch, through which groups of points exchange values (docs/sharing.md). Only a program
/// that asks for them (`.sharing`) has them; [`Launch::new`] then gives it zeros on one SIMD. Another value sets the
/// number of SIMDs, and what the global registers hold when the launch begins; [`Outcome::shared`] is what they hold
/// after it. Clause temporaries begin as zeros.
///
/// [`Outcome::shared`]: crate::engine::Outcome::shared
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The numbers of registers.
    pub sharing: Sharing,
    /// The number of SIMDs, 1 to 64.
    pub simds: u32,
    /// The bits of r, g, b, a of each lane of each global register of each SIMD:
    /// `globals[(simd * NUM_GLOBAL + register) * 64 + lane]`.
    pub globals: Globals,
}

impl Shared {
    /// The most SIMDs.
    pub const MOST_SIMDS: u32 = 64;

    /// Registers that hold zeros.
    pub fn new(sharing: Sharing, simds: u32) -> Shared {
        let globals = vec![[0; 4]; simds as usize * sharing.globals() * LANES];
        Shared { sharing, simds, globals: Arc::new(globals) }
    }

    /// The number of lanes of all global registers of all SIMDs.
    pub fn size(&self) -> usize {
        self.simds as usize * self.sharing.globals() * LANES
    }
}

impl Launch {
    /// The temporaries that start with data: bit n for temporary n.
    pub fn started_temps(&self) -> u128 {
        let bits = self.initial.iter().map(|start| 1u128.checked_shl(start.temp.into()));
        bits.flatten().fold(0, |set, bit| set | bit)
    }
    /// A launch of a program over a rectangle of points from (0, 0) on, whose inputs and outputs
    /// are FLOAT32_4, linear, of that size, and one after the other from address 0 on. The
    /// constants are the program's own. `None` if they take more than 4 GiB.
    pub fn alike(program: Arc<Program>, width: u32, height: u32) -> Option<Launch> {
        let domain =
            Domain { i0: 0, j0: 0, i1: width.saturating_sub(1), j1: height.saturating_sub(1) };
        let mut launch = Launch::new(program.clone(), domain);
        launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
        let mut next: u64 = 0;
        let mut surface = || {
            let format = Format::Float32x4;
            let pitch = surface::default_pitch(Tiling::Linear, format, width);
            let surface = Surface::new(next as u32, pitch, height, Tiling::Linear, format);
            next += surface.byte_size(pitch, height).next_multiple_of(ALIGNMENT.into());
            Some(Surface { width, ..surface })
        };
        let uses = program.uses();
        for (n, input) in launch.inputs.iter_mut().enumerate() {
            *input = (uses.inputs >> n & 1 != 0).then(&mut surface).flatten();
        }
        for (n, output) in launch.outputs.iter_mut().enumerate() {
            *output = (uses.outputs >> n & 1 != 0).then(&mut surface).flatten();
        }
        (next <= 1 << 32).then_some(launch)
    }
    /// A launch of a program over a domain; everything else is as at power-on.
    pub fn new(program: Arc<Program>, domain: Domain) -> Launch {
        Launch {
            shared: program.sharing().map(|sharing| Shared::new(sharing, 1)),
            program,
            domain,
            constants: Constants::zeros(),
            inputs: [None; INPUTS],
            outputs: [None; OUTPUTS],
            out_mask: 15,
            condition: Condition::default(),
            initial: Vec::new(),
            interpolants: None,
            limits: Limits::default(),
            mode: FloatMode::Exact,
            statistics: false,
        }
    }
}
