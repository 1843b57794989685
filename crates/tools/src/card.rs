//! A real card's verdicts: tests of programs that ran on an RV530, and whether they passed there
//! (docs/float.md).
//!
//! [`tests`] has the tests, [`Test::passes`] runs one in a mode. [`result`] reads what an owner of
//! a card found out with more tests. It knows no files and no commands.

mod parse;
pub mod result;

use ctm_base::named;
use ctm_isa::float;
use ctm_lang::program::Program;
use ctm_machine::engine::{Engine, LaunchError, NoProgress, Stop};
use ctm_machine::launch::{Constants, Domain, FloatMode, Initial, Launch};
use ctm_machine::memory::{ArenaKind, ArenaSizes, Format, Memory, MemoryError, Surface, Tiling};
pub use parse::ParseError;
use rayon::prelude::*;
use std::sync::Arc;

named! {
    /// The result of a test on the card.
    Verdict {
        Pass "pass": "Its probes held.";
        Fail "fail": "A probe did not hold.";
        Flake "flake": "Now this, now that: it counts for nothing.";
    }
}

/// A test: programs that draw, and probes of the picture.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name in piglit.
    pub name: String,
    /// Its result on the card.
    pub verdict: Verdict,
    /// The program; `None` if it only clears.
    pub program: Option<Arc<Program>>,
    /// Its draws, in order.
    pub draws: Vec<Draw>,
    /// The expected pixels.
    pub probes: Vec<Probe>,
}

/// A run of a test's program. The program reads no inputs, so all its points have one result.
#[derive(Clone, Debug)]
pub struct Draw {
    /// The constants.
    pub constants: Arc<Constants>,
    /// Temporaries that start with data: the number, and the bits.
    pub initial: Vec<(u8, [u32; 4])>,
}

/// A pixel and its expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The pixel.
    pub pixel: [u32; 2],
    /// The possible origins of its colour, the last first: draws that cover it, and a clear.
    pub colours: Vec<Colour>,
    /// The expected value of each channel, 0 to 1, and how far off it may be.
    pub expected: Vec<(f64, f64)>,
}

/// The origin of a pixel's colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// The draw of this number, unless its program kills the point.
    Draw(usize),
    /// A clear.
    Clear([f32; 4]),
}

/// Errors of a test without a result.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// The tests cannot be read.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// A launch cannot run.
    #[error("{name}: {error}")]
    Launch {
        /// The test.
        name: String,
        /// The error.
        error: LaunchError,
    },
    /// The host has no memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// The text of all tests, in the form that `card/NOTICE` describes.
///
/// # Errors
/// The data in this library is damaged.
pub fn text() -> Result<String, ParseError> {
    let bytes = lz4_flex::decompress_size_prepended(include_bytes!("card/rv530.lz4"));
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or(ParseError { line: 0, what: "the data".into() })
}

/// All tests.
///
/// # Errors
/// The data in this library is damaged.
pub fn tests() -> Result<Vec<Test>, ParseError> {
    parse::tests(&text()?)
}

impl Test {
    /// The launch of a draw, for one point. Its output is FLOAT32_4 at the start of memory.
    fn launch(&self, program: &Arc<Program>, draw: &Draw, base: u32, mode: FloatMode) -> Launch {
        let mut launch = Launch::new(program.clone(), Domain { i0: 0, j0: 0, i1: 0, j1: 0 });
        launch.constants = draw.constants.clone();
        launch.outputs[0] = Some(Surface::new(base, 1, 1, Tiling::Linear, Format::Float32x4));
        let initial = draw.initial.iter();
        launch.initial =
            initial.map(|&(temp, value)| Initial { temp, data: Arc::new(vec![value]) }).collect();
        launch.mode = mode;
        launch.statistics = true;
        launch
    }

    /// The bits of the colour that each draw gives; `None` if its program kills the point.
    ///
    /// # Errors
    /// A launch that cannot run; no memory.
    pub fn colours(
        &self,
        engine: &dyn Engine,
        mode: FloatMode,
    ) -> Result<Vec<Option<[u32; 4]>>, CardError> {
        let Some(program) = &self.program else { return Ok(Vec::new()) };
        let mut memory = Memory::new(&ArenaSizes { gpu: 4096, gpub: 0, sys: 0, sysc: 0 })?;
        let base = memory.base(ArenaKind::Gpu);
        let mut colours = Vec::with_capacity(self.draws.len());
        for draw in &self.draws {
            let launch = self.launch(program, draw, base, mode);
            let ran = engine.run(&launch, &mut memory, &NoProgress);
            let ran = ran.map_err(|error| CardError::Launch { name: self.name.clone(), error })?;
            let is_killed = ran.statistics.is_some_and(|statistics| statistics.killed != 0);
            let word = |n: u32| memory.read_u32(base + 4 * n).unwrap_or_default();
            colours.push((!is_killed).then(|| [0, 1, 2, 3].map(word)));
        }
        Ok(colours)
    }

    /// Whether all probes hold.
    ///
    /// # Errors
    /// As [`Test::colours`].
    pub fn passes(&self, engine: &dyn Engine, mode: FloatMode) -> Result<bool, CardError> {
        let colours = self.colours(engine, mode)?;
        Ok(self.probes.iter().all(|probe| probe.holds(&colours)))
    }
}

impl Probe {
    /// The bytes of the pixel, given the colours of the draws.
    pub fn pixel(&self, draws: &[Option<[u32; 4]>]) -> [u32; 4] {
        let colour = |colour: &Colour| match *colour {
            Colour::Draw(n) => draws.get(n).copied().flatten(),
            Colour::Clear(colour) => Some(colour.map(f32::to_bits)),
        };
        self.colours.iter().find_map(colour).unwrap_or_default().map(float::unorm8)
    }

    /// Whether the pixel is as expected.
    pub fn holds(&self, draws: &[Option<[u32; 4]>]) -> bool {
        let pixel = self.pixel(draws).map(|byte| f64::from(byte) / 255.0);
        let mut channels = pixel.into_iter().zip(&self.expected);
        channels.all(|(got, (want, tolerance))| (got - want).abs() <= *tolerance)
    }
}

/// Whether each of some tests passes in a mode.
///
/// # Errors
/// As [`Test::passes`].
pub fn run(
    tests: &[Test],
    engine: &dyn Engine,
    mode: FloatMode,
    stop: &Stop,
) -> Result<Vec<bool>, CardError> {
    let one = |test: &Test| {
        let stopped =
            |why| CardError::Launch { name: test.name.clone(), error: LaunchError::Stopped(why) };
        stop.check().map_err(stopped)?;
        test.passes(engine, mode)
    };
    tests.par_iter().map(one).collect()
}

/// Whether a result agrees with the card; `None` if the card had no constant one.
pub fn agrees(test: &Test, passes: bool) -> Option<bool> {
    match test.verdict {
        Verdict::Pass => Some(passes),
        Verdict::Fail => Some(!passes),
        Verdict::Flake => None,
    }
}

#[cfg(test)]
mod card_tests {
    use super::*;
    use ctm_machine::engine::block::Block;
    use ctm_machine::engine::reference::Reference;

    /// The names of the tests in which a mode disagrees, and how many agree.
    fn disagreements(tests: &[Test], engine: &dyn Engine, mode: FloatMode) -> (usize, Vec<String>) {
        let results = run(tests, engine, mode, Stop::never()).expect("they run");
        let both =
            || tests.iter().zip(&results).map(|(test, passes)| (test, agrees(test, *passes)));
        let names = both().filter(|(_, agrees)| *agrees == Some(false));
        let names = names.map(|(test, _)| test.name.clone()).collect();
        (both().filter(|(_, agrees)| *agrees == Some(true)).count(), names)
    }

    #[test]
    fn exact_agrees_with_the_card_on_1304_tests_and_chip_on_all_1306() {
        let tests = tests().expect("the data");
        let flaky = tests.iter().filter(|test| test.verdict == Verdict::Flake).count();
        assert_eq!((tests.len(), flaky), (1308, 2));
        let built_in = "spec@glsl-1.10@execution@built-in-functions";
        let two = ["fs-op-assign-div-ivec3-ivec3", "fs-op-div-ivec3-ivec3"];
        let two = two.map(|name| format!("{built_in}@{name}")).to_vec();
        for engine in [&Reference::new() as &dyn Engine, &Block::new()] {
            let exact = disagreements(&tests, engine, FloatMode::Exact);
            assert_eq!(exact, (1304, two.clone()), "{}", engine.name());
            let chip = disagreements(&tests, engine, FloatMode::Chip);
            assert_eq!(chip, (1306, Vec::new()), "{}", engine.name());
        }
    }

    #[test]
    fn a_probe_compares_bytes_within_its_tolerance() {
        let probe = |expected| Probe {
            pixel: [0, 0],
            colours: vec![Colour::Draw(0), Colour::Clear([0.0; 4])],
            expected: vec![(expected, 3.0 / 256.0); 3],
        };
        let half = [0x3f00_0000; 4];
        assert!(probe(0.5).holds(&[Some(half)]) && !probe(0.52).holds(&[Some(half)]));
        assert!(!probe(0.5).holds(&[Some([0x3f00_0000, 0x3f00_0000, 0x7fff_ffff, 0])]));
        assert!(probe(1.0).holds(&[Some([0x4000_0000, 0x7f80_0000, 0x3f80_0000, 0])]));
        // A killed point shows what is below it.
        assert!(probe(0.0).holds(&[None]) && !probe(0.5).holds(&[None]));
    }

    #[test]
    fn the_command_grows_by_less_than_400_kb() {
        let packed = include_bytes!("card/rv530.lz4");
        assert!(packed.len() < 400_000, "{}", packed.len());
    }
}
