//! Built-in workloads: programs that each stress one thing.
//!
//! Each has about 64 instructions on FLOAT32_4 surfaces, so that their figures are comparable.
//! Values stay ordinary numbers however long a chain is, and differ from point to point.

use super::BenchError;
use ctm_base::clock::Instant;
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::{Buffer, Content, FileLocation, Job, Pass, Pictures, Role};
use ctm_lang::asm;
use ctm_lang::program::Program;
use ctm_machine::launch::{Constants, Domain, FloatMode, Limits, MAX_BOUND};
use ctm_machine::memory::surface::default_pitch;
use ctm_machine::memory::{Format, Tiling, Wrap};
use std::path::PathBuf;
use std::sync::Arc;

/// A program that stresses one thing.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The layout of input 0, if it has one.
    input: Option<Tiling>,
    source: fn() -> String,
}

/// All built-in workloads.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: "mad",
        about: "64 multiply-adds on four channels, four chains side by side",
        input: None,
        source: mad,
    },
    Workload {
        name: "mad-chain",
        about: "64 multiply-adds on four channels, each on the result of the one before",
        input: None,
        source: mad_chain,
    },
    Workload {
        name: "dp4-chain",
        about: "64 four-component dot products, each on the result of the one before",
        input: None,
        source: dp4_chain,
    },
    Workload {
        name: "transcendental-chain",
        about: "64 of SIN, COS, EX2, LN2, RCP, RSQ, each on the result of the one before",
        input: None,
        source: transcendental_chain,
    },
    Workload {
        name: "predicated",
        about: "64 instructions: comparisons, and multiply-adds for the points that pass or fail",
        input: None,
        source: predicated,
    },
    Workload {
        name: "divergent-loop",
        about: "a loop that each point leaves after a number of turns of its own, 1 to 64",
        input: None,
        source: divergent_loop,
    },
    Workload {
        name: "fetch-linear",
        about: "16 fetches around the point's own place, linear FLOAT32_4",
        input: Some(Tiling::Linear),
        source: fetches,
    },
    Workload {
        name: "fetch-tiled",
        about: "16 fetches around the point's own place, tiled FLOAT32_4",
        input: Some(Tiling::Tiled),
        source: fetches,
    },
    Workload {
        name: "copy-linear",
        about: "one fetch and one output a point, linear FLOAT32_4",
        input: Some(Tiling::Linear),
        source: copy,
    },
];

/// The start of the chains: different at each point, between 0 and 1. `r0` is the point's index.
const START: &str = "\
    mad r1.rg, r0, {0.371, 0.613, 0}, 0.1 | mad r1.a, r0.r, 0.0731, 0.3
    mad r1.b, r0.r, 0.137, r1.g         | -
    frc r1, r1
";

/// Two alternating multiply-adds whose factors cancel: a chain neither grows nor forgets its start.
fn multiply_add(register: usize, turn: usize) -> String {
    let operands = match turn % 2 {
        0 => "{1.25, -1.25, 0.8, -0.8}, {-0.3, 0.7, 0.2, -0.9}",
        _ => "{0.8, -0.8, 1.25, -1.25}, {0.25, 0.5, -0.3, 0.7}",
    };
    format!("    mad r{register}, r{register}, {operands}\n")
}

/// A chain of `count` pieces, and its end.
fn chain(count: usize, piece: impl FnMut(usize) -> String, end: &str) -> String {
    START.to_string() + &(0..count).map(piece).collect::<String>() + end
}

fn mad() -> String {
    let copies = "    mov r2, r1.abgr\n    mov r3, r1.gbar\n    mov r4, r1.barg\n";
    let piece = |n: usize| match n.checked_sub(1) {
        None => copies.to_string(),
        Some(n) => multiply_add(1 + n % 4, n / 4),
    };
    chain(65, piece, "    add r1, r1, r2\n    add r3, r3, r4\n    add o0, r1, r3\n")
}

fn mad_chain() -> String {
    chain(64, |n| multiply_add(1, n), "    mov o0, r1\n")
}

fn dp4_chain() -> String {
    // One channel at a time, so that the four terms never become equal.
    let operands = "r1, {0.75, -0.5, 0.625, -0.875}";
    let piece = |n| format!("    dp4 r1.{}, {operands}\n", LETTERS[n % 4]);
    chain(64, piece, "    mov o0, r1\n")
}

fn transcendental_chain() -> String {
    // The order avoids poles: RCP and RSQ get results of EX2, LN2 those of EX2. The factor 8
    // spreads points over all phases of SIN again; without it they would converge to one value.
    const ORDER: [&str; 8] = ["sin", "ex2", "rcp", "cos", "ex2", "rsq", "ex2", "ln2*8"];
    let piece = |n| format!("    {} r1.a, r1.a\n", ORDER[n % ORDER.len()]);
    chain(64, piece, "    mov o0, r1.a\n")
}

fn predicated() -> String {
    let turn = "    sub p<0, r1, 0.5
    (p) mad r1, r1, 0.75, {0.3, 0.7, 0.2, 0.6}
    (!p) mad r1, r1, -0.625, {0.9, 0.8, 0.7, 0.6}
    (p.r) add r2, r1, r1.abgr\n";
    chain(16, |_| turn.to_string(), "    add o0, r1, r2\n")
}

fn divergent_loop() -> String {
    // In turns: 64 times the fraction from START, so neighbours differ.
    format!(
        "{START}    mul r2.r, r1.b, 64 | mov r2.a, 0
    rep 64
        mad r1, r1, {{0.75, -0.5, 0.625, -0.875}}, {{0.3, 0.7, 0.2, 0.9}}
        - | add r2.a, r2.a, 1
        sub alu_result>=0, r2.a, r2.r
        break if alu_result
    endrep
    add o0, r1, r2\n"
    )
}

fn fetches() -> String {
    let piece = |n| {
        let step = if n % 4 == 3 { "{-3, 1, 0}" } else { "{1, 0, 0}" };
        format!("    ld r2, i0[r0.rg]\n    add r0.rg, r0, {step}\n    add r1, r1, r2\n")
    };
    "    mov r1, 0\n".to_string() + &(0..16).map(piece).collect::<String>() + "    mov o0, r1\n"
}

fn copy() -> String {
    String::from("    ld r1, i0[r0.rg]\n    movx o0, r1\n")
}

impl Workload {
    /// The workload with this name.
    pub fn find(name: &str) -> Option<&'static Workload> {
        WORKLOADS.iter().find(|workload| workload.name == name)
    }

    /// Its program in assembly.
    pub fn source(&self) -> String {
        (self.source)()
    }

    /// Its job over `width` x `height` points.
    ///
    /// # Errors
    /// For a size that no domain can have.
    pub fn job(&self, width: u32, height: u32) -> Result<Job, BenchError> {
        let bounds = 1..=MAX_BOUND + 1;
        if !bounds.contains(&width) || !bounds.contains(&height) {
            return Err(BenchError::Size { width, height });
        }
        let started = Instant::now();
        let program = program(self.name, &self.source())?;
        let constants = Constants::with_literals(&program.image().literals);
        let compile = started.elapsed();
        let mut buffers = vec![buffer(Role::Output(0), Tiling::Linear, width, height)];
        if let Some(tiling) = self.input {
            let mut input = buffer(Role::Input(0), tiling, width, height);
            // Arbitrary ordinary numbers.
            input.content = Content::Fill([1.5f32, -2.25, 0.75, 3.0].map(f32::to_bits));
            buffers.push(input);
        }
        let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 };
        let file = PathBuf::from(self.name);
        let mut pass = Pass::new(program, file, domain, Arc::new(constants), location());
        pass.inputs = self.input.iter().map(|_| (0, 1)).collect();
        pass.outputs = vec![(0, 0)];
        Ok(Job {
            file: PathBuf::from(self.name),
            about: self.about.to_string(),
            mode: FloatMode::Exact,
            limits: Limits::default(),
            passes: vec![pass],
            sharing: None,
            buffers,
            expects: Vec::new(),
            warnings: Vec::new(),
            compile: Some(compile),
        })
    }
}

/// A built-in program.
pub(super) fn program(name: &'static str, source: &str) -> Result<Arc<Program>, BenchError> {
    let wrong = |error: String| BenchError::Workload { name, error };
    let image = asm::assemble(source, name).map_err(|error| wrong(error.to_string()))?;
    Ok(Arc::new(Program::new(image).map_err(|error| wrong(error.to_string()))?))
}

fn location() -> FileLocation {
    FileLocation { line: 1, key: String::new(), keys: Vec::new() }
}

fn buffer(role: Role, tiling: Tiling, width: u32, height: u32) -> Buffer {
    let format = Format::Float32x4;
    Buffer {
        name: match role {
            Role::Input(n) => format!("input {n}"),
            _ => "output 0".to_string(),
        },
        role,
        format,
        tiling,
        width,
        height,
        pitch: default_pitch(tiling, format, width),
        address: None,
        wrap: Wrap::Clamp,
        content: Content::Zero,
        of_picture: false,
        save: None,
        pictures: Pictures::default(),
        location: location(),
    }
}
