//! The shaders in a browser: Tint, Chromium's compiler, accepts each of them, and exported pages
//! (`ctm export`) find the same words there as here.
//!
//! These tests need Chromium: the program that `CTM_CHROMIUM` names, else an installed one. They are
//! ignored by default. `tests/all.sh` installs Chromium where it may, and then runs them.

#[path = "../common/browser.rs"]
mod browser;
mod pages;
mod shaders;
mod tint;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::{Browser, attacked, pixels, policy, withstands};
use ctm::engine::gpu::plan::settings::Settings;
use ctm::engine::gpu::shader::variant::Storage;
use ctm_testing::files;
use pages::{Found, GAVE_UP, Shared, beyond, changed, giving_up, page, translated};
use shaders::Shaders;
use std::path::{Path, PathBuf};
use std::process::Command;
use tint::{Tint, report};

/// Jobs beside those in `kernels` whose pages run: all of mode exact.
const VECTORS: [&str; 23] = [
    "tests/vectors/exact/alu_dot_00/job.toml",
    "tests/vectors/exact/alu_hard_00/job.toml",
    "tests/vectors/exact/alu_omod_00/job.toml",
    "tests/vectors/exact/alu_quad_00/job.toml",
    "tests/vectors/exact/condition_00/job.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/exact/formats_00/job.toml",
    "tests/vectors/exact/formats_01/job.toml",
    "tests/vectors/exact/overlap_00/job.toml",
    "tests/vectors/exact/passes_01/job.toml",
    "tests/vectors/exact/relative_00/job.toml",
    "tests/vectors/exact/texkill_00/job.toml",
    "tests/vectors/exact/texture_00/job.toml",
    "tests/vectors/exact/texture_fixed_00/job.toml",
    "tests/vectors/exact/transcendental_exact_00/job.toml",
    "tests/vectors/exact/umrt_00/job.toml",
    "tests/vectors/exact/umrt_01/job.toml",
    "tests/vectors/jobs/deriv_mix/default.toml",
    "tests/vectors/jobs/fc_nested_loops_break/default.toml",
    "tests/vectors/jobs/gp_fft_butterfly/default.toml",
    "tests/vectors/jobs/io_mrt4/default.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
    "tests/vectors/jobs/tex_repeat/default.toml",
];

/// The vectors that run on the interpreter, too: a text of its own for each, which SwiftShader compiles for ten seconds.
/// Between them they have all kinds of its rows.
const BOTH: [&str; 6] = [
    "tests/vectors/exact/alu_hard_00/job.toml",
    "tests/vectors/exact/condition_00/job.toml",
    "tests/vectors/exact/relative_00/job.toml",
    "tests/vectors/exact/umrt_01/job.toml",
    "tests/vectors/jobs/fc_nested_loops_break/default.toml",
    "tests/vectors/jobs/tex_repeat/default.toml",
];

/// Those that run with other settings.
const SETTINGS: [&str; 2] =
    ["kernels/nbody/nbody.toml", "tests/vectors/jobs/kill_in_loop/default.toml"];

/// Large jobs that run whole. The sum of 2^24 numbers (`reduce/passes`) takes SwiftShader a minute, for two passes more
/// than `passes_256` has.
const LARGE: [&str; 2] = ["kernels/mandelbrot/mandelbrot.toml", "kernels/matmul/matmul.toml"];

/// Jobs whose picture in the repository is as large as what they write.
const UPRIGHT: [&str; 5] =
    ["glsl/sphere", "glsl/plasma", "glsl/blur", "glsl/bilinear", "glsl/wave"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The output of `ctm witness` for a report, and its status.
fn witness(report: &[u8]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.json");
    std::fs::write(&file, report).expect("written");
    let ran = Command::new(env!("CARGO_BIN_EXE_ctm")).arg("witness").arg(&file).output();
    let ran = ran.expect("it runs");
    (String::from_utf8_lossy(&ran.stdout).into_owned(), ran.status.code())
}

/// Tint's message about a barrier that only some points may reach.
const NOT_UNIFORM: &str = "'workgroupBarrier' must only be called from uniform control flow";

/// Compiles shaders. Returns what Tint has to say about each that it has anything to say about.
fn messages(tint: &mut Tint, shaders: &Shaders) -> Vec<String> {
    let said = shaders.iter().filter_map(|(wgsl, what)| {
        let report = report(&tint.compile(wgsl), wgsl)?;
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
        let mut tint = Tint::start();
        let mut shaders = shaders::arithmetic();
        shaders.extend(shaders::translations());
        shaders.extend(shaders::interpreters());
        assert!(shaders.len() > 500, "{}", shaders.len());
        let said = messages(&mut tint, &shaders);
        let shown = &said[..said.len().min(8)];
        assert!(said.is_empty(), "{} of {}\n{}", said.len(), shaders.len(), shown.join("\n"));
        println!("{} shaders", shaders.len());
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_refused_shader_is_found() {
        let mut tint = Tint::start();
        let said = messages(&mut tint, &Shaders::from([(WRONG.to_string(), "wrong".to_string())]));
        assert_eq!(said.len(), 1, "{said:?}");
        let expected =
            format!("wrong:\n  4:9: error: {NOT_UNIFORM}\n      |         workgroupBarrier();\n");
        assert!(said[0].starts_with(&expected), "{}", said[0]);
    }

    /// Every job of `kernels` that is not large and whose groups do not share registers, and those of the vectors,
    /// give the same words at the level that the probe finds.
    #[test]
    #[ignore = "needs Chromium"]
    fn exported_pages_find_the_same_words() {
        let mut kernels = files::jobs("kernels");
        kernels.retain(|file| !files::is_sharing(file) && !files::is_large(file));
        let of_kernels = kernels.into_iter().map(|file| (file, false));
        let of_vectors = VECTORS.iter().map(|file| (root().join(file), BOTH.contains(file)));
        let jobs: Vec<(PathBuf, bool)> = of_kernels.chain(of_vectors).collect();
        let run = |files: &[(PathBuf, bool)]| {
            let mut browser = Shared::start();
            for (file, both) in files {
                let page = page(file, Settings::GUARANTEED);
                let page = if *both { page } else { translated(&page) };
                let Found { lines, report } = browser.run(&page);
                let engines: Vec<&str> = report.runs.iter().map(|run| &*run.engine).collect();
                let expected = ["translated", "interpreter"];
                let same = report.agrees() && engines == expected[..1 + usize::from(*both)];
                assert!(same, "{}: {lines}", file.display());
                // The picture of what the GPU left is that of what ctm computed.
                assert_eq!(browser.wrong_pictures(), "[]", "{}", file.display());
            }
        };
        // SwiftShader compiles in one thread. Neighbours share texts.
        std::thread::scope(|scope| {
            jobs.chunks(jobs.len().div_ceil(2)).for_each(|files| {
                scope.spawn(|| run(files));
            });
        });
    }

    /// Registers elsewhere, and groups that rest often.
    #[test]
    #[ignore = "needs Chromium"]
    fn pages_with_other_settings_find_the_same_words() {
        let mut browser = Shared::start();
        let root = root();
        let mut wrong = Vec::new();
        for (storage, slice) in
            [(Storage::Private, 1 << 18), (Storage::Buffer, 1 << 18), (Storage::Private, 500)]
        {
            let settings = Settings { storage, slice, ..Settings::GUARANTEED };
            for file in SETTINGS {
                let page = page(&root.join(file), settings);
                let Found { lines, report } = browser.run(&page);
                if !report.agrees() {
                    wrong.push(format!("{file}, {settings:?}: {lines}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Whole. The interpreter would take minutes.
    #[test]
    #[ignore = "needs Chromium"]
    fn translated_programs_of_large_jobs_find_the_same_words() {
        let mut browser = Browser::start(1280, 800);
        for file in LARGE {
            let page = translated(&page(&root().join(file), Settings::GUARANTEED));
            let Found { lines, report } = pages::run(&mut browser, &page);
            let translated = report.runs.iter().filter(|run| run.translated == run.launches);
            assert_eq!((translated.count(), report.agrees()), (1, true), "{lines}");
        }
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn the_interpreter_runs_what_a_translated_program_gives_up() {
        let mut browser = Browser::start(1280, 800);
        let page = beyond(&root().join("kernels/saxpy/saxpy.toml"));
        let Found { lines, report } = pages::run(&mut browser, &page);
        assert!(report.agrees(), "{lines}");
        let Found { lines, report } = pages::run(&mut browser, &translated(&giving_up(&page)));
        let errors: Vec<_> = report.runs.iter().map(|run| run.error.as_deref()).collect();
        assert_eq!(errors, [Some(GAVE_UP)], "{lines}");
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn the_button_copies_a_report_that_the_command_reads() {
        let mut browser = Browser::start(1280, 800);
        let page = page(&root().join("kernels/saxpy/saxpy.toml"), Settings::GUARANTEED);
        let Found { report, .. } = pages::run(&mut browser, &page);
        assert!(report.agrees());
        for run in &report.runs {
            let within = |gpu| (0.0..=run.run_ms.unwrap_or_default()).contains(&gpu);
            assert!(run.gpu_ms.is_none_or(within), "{run:?}");
            println!("{}: {:?} ms on the GPU", run.engine, run.gpu_ms);
        }
        browser.click("#result summary", 0.1, 0.5);
        browser.click("#copy", 0.5, 0.5);
        browser.wait("document.getElementById('copied').textContent === 'it is copied'");
        let copied = browser.pasted();
        assert_eq!(copied, browser.text("document.getElementById('report').value"));
        let (text, status) = witness(copied.as_bytes());
        assert_eq!(status, Some(0), "{text}");
        for engine in ["interpreter", "translated"] {
            assert!(text.contains(engine), "{text}");
        }
    }

    /// Row 0 of what GLSL writes is at the bottom.
    #[test]
    #[ignore = "needs Chromium"]
    fn pictures_in_pages_are_those_of_the_repository() {
        let mut browser = Browser::start(1280, 800);
        for name in UPRIGHT {
            let file = root().join(format!("kernels/{name}.toml"));
            let page = page(&file, Settings::GUARANTEED);
            let _folder = browser.open_text(&page);
            browser.wait("document.querySelector('.pictures img')?.complete === true");
            let url = browser.text("document.querySelector('.pictures img').src");
            let found = pixels(&STANDARD.decode(url.split_once(',').expect("data").1).expect("it"));
            let stored = std::fs::read(file.with_extension("png")).expect("a picture");
            let (width, stored) = pixels(&stored);
            assert!(found == (width, stored.clone()), "{name}");
            // A picture upside down is another one.
            let rows = stored.chunks_exact(3 * width as usize);
            assert!(rows.rev().flatten().ne(&stored), "{name}");
        }
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn keys_alone_run_a_page_and_reach_all_of_it_on_a_phone() {
        let mut browser = Browser::start(390, 844);
        // Long lines of source, and a long message.
        let page = page(&root().join("kernels/sobel/sobel.toml"), Settings::GUARANTEED);
        let _folder = browser.open_text(&changed(&page).0);
        browser.wait("document.getElementById('run')?.disabled === false");
        browser.key("Tab", 0);
        assert_eq!(browser.text("document.activeElement.id"), "run");
        browser.key("Enter", 0);
        browser.wait("document.getElementById('state').textContent === 'done'");
        assert_eq!(browser.text("document.querySelectorAll('#lines .wrong').length"), "2");
        // The focus is where it was.
        assert_eq!(browser.text("document.activeElement.id"), "run");
        browser.key("Tab", 0);
        assert_eq!(browser.text("document.activeElement.textContent"), "Report");
        browser.key("Enter", 0);
        browser.key("Tab", 0);
        assert_eq!(browser.text("document.activeElement.id"), "copy");
        browser.key("Enter", 0);
        browser.wait("document.getElementById('copied').textContent === 'it is copied'");
        assert_eq!(browser.unreached(), Vec::<String>::new());
        assert_eq!(browser.text("document.documentElement.scrollWidth"), "390");
        browser.evaluate("scrollTo(0, 0)");
        browser.shot("390-page");
    }

    /// Every page that a command writes.
    #[test]
    #[ignore = "needs Chromium"]
    fn text_in_a_page_that_became_html_does_nothing() {
        let mut browser = Browser::start(1280, 800);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("page.html");
        for [command, input] in [
            ["export", "kernels/saxpy/saxpy.toml"],
            ["profile", "kernels/saxpy/saxpy.toml"],
            ["compile", "kernels/glsl/plasma.frag"],
        ] {
            let mut ctm = Command::new(env!("CARGO_BIN_EXE_ctm"));
            ctm.arg(command).arg(root().join(input)).arg("--html").arg(&file);
            let ran = ctm.current_dir(folder.path()).output().expect("it runs");
            assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
            let page = std::fs::read_to_string(&file).expect("a page");
            let policy = policy(&page);
            let names: Vec<&str> = policy.iter().map(|(name, _)| &**name).collect();
            let expected =
                ["default-src", "img-src", "style-src", "script-src", "form-action", "base-uri"];
            assert_eq!(names, expected, "{command}");
            for (name, sources) in &policy {
                let [source] = &sources[..] else { panic!("{command}: {name} {sources:?}") };
                let hashed = source.starts_with("'sha256-");
                match &**name {
                    "img-src" => assert_eq!(source, "data:", "{command}"),
                    "style-src" => assert!(hashed, "{command}: {source}"),
                    "script-src" => assert_eq!(hashed, command != "profile", "{command}: {source}"),
                    _ => assert_eq!(source, "'none'", "{command}: {name}"),
                }
            }
            // The page itself needs nothing that its policy refuses.
            drop(browser.open_text(&page));
            browser.wait("document.readyState === 'complete'");
            assert_eq!(browser.complaints, Vec::<String>::new(), "{command}");
            // The table of passes is not cut.
            let cut = "JSON.stringify([...document.querySelectorAll('.wide:has(> .passes)')].map((one) => \
                       [one.scrollWidth, one.clientWidth]).filter(([all, room]) => all > room))";
            assert_eq!(browser.text(cut), "[]", "{command}");
            if command == "compile" {
                let row = "document.querySelector('[data-lines]')";
                let hue = format!("getComputedStyle({row}).getPropertyValue('--hue').trim()");
                assert_eq!(browser.text(&hue), browser.text(&format!("{row}.dataset.hue")));
                assert_eq!(browser.text(&format!("{row}.tabIndex")), "0");
            }
            let _folder = browser.open_text(&attacked(&page));
            withstands(&mut browser, command);
            // Without the policy the attack is one.
            let _folder =
                browser.open_text(&attacked(&page).replace("Content-Security-Policy", ""));
            browser.wait("window.injected !== undefined");
            assert!(browser.text("document.baseURI").starts_with("https:"), "{command}");
            browser.complaints.clear();
        }
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_page_with_a_wrong_word_says_where() {
        let mut browser = Browser::start(1280, 800);
        let file = root().join("kernels/saxpy/saxpy.toml");
        let page = page(&file, Settings::GUARANTEED);
        let (page, place) = changed(&page);
        let Found { lines, report } = pages::run(&mut browser, &page);
        assert!(!report.agrees(), "{lines}");
        assert_eq!(report.runs.len(), 2, "{lines}");
        // Both pictures have a mark at the element.
        let marked = browser.evaluate(
            "[...document.querySelectorAll('#found span')].map((mark) => { \
             const [box, canvas] = [mark.getBoundingClientRect(), mark.previousSibling]; \
             const whole = canvas.getBoundingClientRect(); \
             return [Math.floor(canvas.width * (box.left + box.width / 2 - whole.left) / whole.width), \
                 Math.floor(canvas.height * (box.top + box.height / 2 - whole.top) / whole.height)]; })",
        );
        let at = [place.x, place.y];
        assert_eq!(marked, serde_json::json!([at, at]));
        browser.shot("page-different");
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
        let (text, status) = witness(&serde_json::to_vec(&report).expect("JSON"));
        let differs = format!("differs at {}, x {}, y {}: ", place.surface, place.x, place.y);
        assert_eq!(text.matches(&differs).count(), 2, "{text}");
        assert_eq!(status, Some(1), "{text}");
    }
}
