//! The shaders in a browser: Tint, Chromium's compiler, accepts each of them, and exported pages
//! (`ctm export`) find the same words there as here.
//!
//! These tests need Chromium: the program that `CTM_CHROMIUM` names, else an installed one. They are
//! ignored by default. `tests/all.sh` installs Chromium where it may, and then runs them.

mod chromium;
mod pages;
mod shaders;

use chromium::{Chromium, report};
use ctm::engine::gpu::plan::settings::Settings;
use ctm::engine::gpu::shader::variant::Storage;
use ctm_testing::files;
use pages::{Found, changed, page};
use shaders::Shaders;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Jobs beside those in `kernels` whose pages run: all of mode exact.
const VECTORS: [&str; 19] = [
    "tests/vectors/exact/alu_dot_00/job.toml",
    "tests/vectors/exact/alu_hard_00/job.toml",
    "tests/vectors/exact/alu_omod_00/job.toml",
    "tests/vectors/exact/alu_quad_00/job.toml",
    "tests/vectors/exact/condition_00/job.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/exact/formats_00/job.toml",
    "tests/vectors/exact/formats_01/job.toml",
    "tests/vectors/exact/relative_00/job.toml",
    "tests/vectors/exact/texkill_00/job.toml",
    "tests/vectors/exact/texture_00/job.toml",
    "tests/vectors/exact/texture_fixed_00/job.toml",
    "tests/vectors/exact/transcendental_exact_00/job.toml",
    "tests/vectors/jobs/deriv_mix/default.toml",
    "tests/vectors/jobs/fc_nested_loops_break/default.toml",
    "tests/vectors/jobs/gp_fft_butterfly/default.toml",
    "tests/vectors/jobs/io_mrt4/default.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
    "tests/vectors/jobs/tex_repeat/default.toml",
];

/// Those that run with other settings.
const SETTINGS: [&str; 4] = [
    "kernels/mandelbrot/mandelbrot_96.toml",
    "kernels/nbody/nbody.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
];

/// What Tint says about a barrier that only some points may reach.
const NOT_UNIFORM: &str = "'workgroupBarrier' must only be called from uniform control flow";

/// Compiles shaders. Returns what Tint has to say about each that it has anything to say about.
fn messages(browser: &mut Chromium, shaders: &Shaders) -> Vec<String> {
    let said = shaders.iter().filter_map(|(wgsl, what)| {
        let report = report(&browser.compile(wgsl), wgsl)?;
        Some(format!("{what}:\n{report}"))
    });
    said.collect()
}

/// A shader with a barrier that only some points reach.
const WRONG: &str = "@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) n: u32) {\n    \
                     if n == 0u {\n        workgroupBarrier();\n    }\n}\n";

/// `tests/all.sh` skips the tests of this module where there is no Chromium.
mod in_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn tint_accepts_every_shader() {
        let mut browser = Chromium::start();
        let mut shaders = shaders::arithmetic();
        shaders.extend(shaders::translations());
        shaders.extend(shaders::interpreters());
        assert!(shaders.len() > 500, "{}", shaders.len());
        let said = messages(&mut browser, &shaders);
        let shown = &said[..said.len().min(8)];
        assert!(said.is_empty(), "{} of {}\n{}", said.len(), shaders.len(), shown.join("\n"));
        println!("{} shaders", shaders.len());
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_refused_shader_is_found() {
        let mut browser = Chromium::start();
        let said =
            messages(&mut browser, &Shaders::from([(WRONG.to_string(), "wrong".to_string())]));
        assert_eq!(said.len(), 1, "{said:?}");
        let expected =
            format!("wrong:\n  4:9: error: {NOT_UNIFORM}\n      |         workgroupBarrier();\n");
        assert!(said[0].starts_with(&expected), "{}", said[0]);
    }

    /// Every job of `kernels` but those with a small variant, unless the block engine has to run some of its launches, and those of the
    /// vectors: both plans run, at the level that the probe finds, and give the same words.
    #[test]
    #[ignore = "needs Chromium"]
    fn exported_pages_find_the_same_words() {
        let mut browser = Chromium::start();
        let kernels = files::jobs("kernels").into_iter();
        let kernels: Vec<PathBuf> = kernels.filter(|file| !files::is_large(file)).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let vectors = VECTORS.iter().map(|file| root.join(file));
        let (mut wrong, mut without, mut runs) = (Vec::new(), Vec::new(), 0);
        for file in kernels.iter().cloned().chain(vectors) {
            let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            let page = match page(&file, Settings::GUARANTEED) {
                Ok(page) => page,
                Err(error) => {
                    without.push(format!("{name}: {error}"));
                    continue;
                }
            };
            let Found { lines, report } = pages::run(&mut browser, page);
            let same = report.agrees() && report.runs.len() + report.refused.len() == 2;
            runs += report.runs.len();
            if !same {
                wrong.push(format!("{name}: {lines}"));
            }
        }
        println!("{}: {runs} runs; no plan:\n{}", browser.adapter, without.join("\n"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let expected = "groups share registers";
        assert!(without.iter().all(|why| why.contains(expected)), "{without:?}");
        assert!(runs >= 2 * (kernels.len() + VECTORS.len() - without.len()) - 4, "{runs}");
    }

    /// Registers elsewhere, and groups that rest often.
    #[test]
    #[ignore = "needs Chromium"]
    fn pages_with_other_settings_find_the_same_words() {
        let mut browser = Chromium::start();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut wrong = Vec::new();
        for (storage, slice) in
            [(Storage::Private, 1 << 18), (Storage::Buffer, 1 << 18), (Storage::Private, 500)]
        {
            let settings = Settings { storage, slice, ..Settings::GUARANTEED };
            for file in SETTINGS {
                let page = page(&root.join(file), settings).expect("a plan");
                let Found { lines, report } = pages::run(&mut browser, page);
                if !report.agrees() {
                    wrong.push(format!("{file}, {settings:?}: {lines}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_page_with_a_wrong_word_says_where() {
        let mut browser = Chromium::start();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/saxpy/saxpy.toml");
        let page = page(&file, Settings::GUARANTEED).expect("a plan");
        let (page, place) = changed(&page);
        let Found { lines, report } = pages::run(&mut browser, page);
        assert!(!report.agrees(), "{lines}");
        assert_eq!(report.runs.len(), 2, "{lines}");
        for run in &report.runs {
            let found = run.difference.as_ref().expect("a difference");
            assert_eq!((found.word, found.got ^ found.expected), (place.word, 1), "{lines}");
            assert_eq!(found.surface.as_deref(), Some(place.surface.as_str()), "{lines}");
            assert_eq!((found.x, found.y), (Some(place.x), Some(place.y)), "{lines}");
            assert!(found.operands.len() >= 2, "{lines}");
        }
        let text = format!("different at {}, x {}, y {}", place.surface, place.x, place.y);
        assert!(lines.contains(&text), "{lines}");
        // The command reads the report.
        let folder = tempfile::tempdir().expect("a folder");
        let file: PathBuf = folder.path().join("report.json");
        std::fs::write(&file, serde_json::to_vec(&report).expect("JSON")).expect("written");
        let ran = Command::new(env!("CARGO_BIN_EXE_ctm")).arg("witness").arg(&file).output();
        let ran = ran.expect("it runs");
        let text = String::from_utf8_lossy(&ran.stdout);
        let differs = format!("differs at {}, x {}, y {}: ", place.surface, place.x, place.y);
        assert_eq!(text.matches(&differs).count(), 2, "{text}");
        assert_eq!(ran.status.code(), Some(1), "{text}");
    }
}
