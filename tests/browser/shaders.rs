//! All shaders that the product can assemble.

use ctm::engine::gpu::plan::space::ranges;
use ctm::engine::gpu::probe::{self, functions, probed};
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::translate::{Options, State, translate};
use ctm::engine::gpu::shader::variant::Variant;
use ctm::engine::gpu::shader::wgsl::trimmed;
use ctm::engine::{Checked, Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{Job, RunOptions};
use ctm::memory::Memory;
use ctm_testing::files;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A shader's text and what it is.
pub type Shaders = BTreeMap<String, String>;

/// The interpreter's variants.
pub fn interpreters() -> Shaders {
    let samples = Variant::samples().into_iter();
    samples.map(|variant| (variant.source(), format!("{variant:?}"))).collect()
}

/// The probe's shader at a guard level.
pub fn probe_kernel(guards: Guards) -> String {
    trimmed(&probe::kernel(guards, &probed()), "probe")
}

/// The probe's shader and all functions at each guard level.
pub fn arithmetic() -> Shaders {
    let mut shaders = Shaders::new();
    for guards in Guards::ALL {
        shaders.insert(probe_kernel(guards), format!("the probe at level {guards}"));
        let all = trimmed(&probe::kernel(guards, &functions()), "probe");
        shaders.insert(all, format!("all functions at level {guards}"));
    }
    shaders
}

/// The translations of the launches of the repository's jobs, at each guard level.
pub fn translations() -> Shaders {
    let translator = Translator::default();
    for file in [files::jobs("kernels"), files::jobs("tests/vectors")].concat() {
        let mut job = Job::read(&file).unwrap_or_else(|error| panic!("{error}"));
        for pass in &mut job.passes {
            // Swapped names are back after two repetitions.
            pass.repeat = pass.repeat.min(2);
        }
        let before = translator.0.lock().expect("no panic").len();
        let result = job.run(&translator, &RunOptions::default(), &NoProgress);
        result.unwrap_or_else(|error| panic!("{error}"));
        let mut shaders = translator.0.lock().expect("no panic");
        for (_, what) in &mut shaders[before..] {
            *what = format!("{}, {what}", file.display());
        }
    }
    translator.0.into_inner().expect("no panic").into_iter().collect()
}

/// An engine that only translates.
#[derive(Default)]
struct Translator(Mutex<Vec<(String, String)>>);

impl Engine for Translator {
    fn name(&self) -> &'static str {
        "translator"
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        _: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let ranges = ranges(memory);
        for guards in Guards::ALL {
            for packed in [false, true] {
                let options = Options { guards, packed, ..Options::default() };
                // What is refused runs on the interpreter (tests/gpu/translate.rs has the list).
                let translation = State::of(launch, &ranges, &options)
                    .and_then(|state| translate(&launch.program, &launch.lowered, &state));
                if let Ok(translation) = translation {
                    let what = format!("level {guards}, packed {packed}");
                    self.0.lock().expect("no panic").push((translation.wgsl, what));
                }
            }
        }
        Ok(Outcome::default())
    }
}
