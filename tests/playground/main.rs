//! The playground (web/) in Chromium, as a visitor uses it: with keys and a mouse.
//!
//! These tests need Chromium, and the page that `web/build.sh` makes: `target/web/page/index.html`. They are ignored by
//! default. `tests/all.sh` makes the page where it can, and then runs them.
//! The page is opened from disk; a request that would leave it is a failure of every test.

#[path = "../common/browser.rs"]
mod browser;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::{ALT, Browser, CONTROL};
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page.
fn file() -> PathBuf {
    let page = root().join("target/web/page/index.html");
    assert!(page.is_file(), "{} is missing: web/build.sh makes it", page.display());
    page
}

/// A browser with the playground at a fragment, for a visitor who wants no motion: pictures do not move by themselves.
fn playground(width: u32, height: u32, fragment: &str) -> Browser {
    visit(width, height, fragment, "reduce")
}

/// A browser with the playground at a fragment, with what the visitor wants of motion.
fn visit(width: u32, height: u32, fragment: &str, motion: &str) -> Browser {
    let page = file();
    let mut browser = Browser::start(width, height);
    let wanted = serde_json::json!([{ "name": "prefers-reduced-motion", "value": motion }]);
    browser.call("Emulation.setEmulatedMedia", serde_json::json!({ "features": wanted }));
    browser.open(&format!("file://{}{fragment}", page.display()));
    settled(&mut browser);
    browser
}

/// Waits until the page shows what it has to say about the source.
fn settled(browser: &mut Browser) {
    browser.wait(
        "document.body?.dataset.done !== undefined && document.body.dataset.done === document.body.dataset.version",
    );
}

fn status(browser: &mut Browser) -> String {
    browser.text("document.getElementById('status').textContent")
}

/// Replaces the source by a text, by keys.
fn write(browser: &mut Browser, text: &str) {
    browser.evaluate("document.querySelector('.cm-content').focus()");
    browser.key("a", CONTROL);
    browser.insert(text);
    browser.wait("document.body.dataset.done !== document.body.dataset.version");
}

/// Chooses from a list, by the value of an expression.
fn choose(browser: &mut Browser, list: &str, value: &str) {
    browser.evaluate(&format!(
        "(() => {{ const list = document.getElementById('{list}'); list.value = {value}; \
         list.dispatchEvent(new Event('change')); }})()"
    ));
}

/// The red, green and blue of the picture's pixels, with its width.
fn pixels(browser: &mut Browser) -> (u32, Vec<u8>) {
    let url = browser.text("document.getElementById('canvas').toDataURL()");
    let bytes = STANDARD.decode(url.split_once(',').expect("a data URL").1).expect("base64");
    browser::pixels(&bytes)
}

/// Nothing went wrong that the page does not show, and nothing left it.
fn content(browser: &mut Browser) {
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// Examples whose job makes one picture file, not enlarged, which is in the repository.
const PICTURES: [(&str, &str); 10] = [
    ("sphere", "glsl/sphere.png"),
    ("plasma", "glsl/plasma.png"),
    ("simplex", "glsl/simplex.png"),
    ("blur", "glsl/blur.png"),
    ("bilinear", "glsl/bilinear.png"),
    ("wave", "glsl/wave.png"),
    ("mandelbrot/mandelbrot", "mandelbrot/mandelbrot.png"),
    ("jacobi/jacobi", "jacobi/jacobi.png"),
    ("scan/scan", "scan/scan.png"),
    ("fft/fft", "fft/fft.png"),
];

/// `tests/all.sh` skips the tests of this module where there is no Chromium or no page.
mod in_the_page {
    use super::*;

    mod access;
    mod addresses;
    mod exercise;
    mod form;
    mod panes;
    mod time;
    mod variables;

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn every_example_runs_and_pictures_are_those_of_the_repository() {
        let mut browser = playground(1280, 800, "");
        let names = browser.evaluate(
            "[...document.getElementById('examples').options].map((option) => option.value)",
        );
        let names: Vec<String> = serde_json::from_value(names).expect("names");
        assert!(names.len() > 35, "{names:?}");
        let mut compared = 0;
        for name in &names {
            choose(&mut browser, "examples", &format!("{name:?}"));
            settled(&mut browser);
            assert_eq!(
                browser.text("document.getElementById('status').className"),
                "good",
                "{name}: {}",
                status(&mut browser)
            );
            if let Some((_, file)) = PICTURES.iter().find(|(of, _)| of == name) {
                let stored = std::fs::read(root().join("kernels").join(file)).expect("a picture");
                assert!(
                    pixels(&mut browser) == browser::pixels(&stored),
                    "{name}: not the pixels of {file}"
                );
                compared += 1;
            }
        }
        assert_eq!(compared, PICTURES.len());
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn a_wrong_program_shows_its_caret_and_a_right_one_its_picture() {
        let mut browser = playground(1280, 800, "#e=assembly");
        write(&mut browser, "    mov o0, r0\n    mvo o0.r, r0\n");
        settled(&mut browser);
        assert_eq!(status(&mut browser), "1 error");
        let marked = "(document.querySelector('.cm-lintRange-error')?.textContent ?? '')";
        browser.wait(&format!("{marked} !== ''"));
        assert_eq!(browser.text(marked), "mvo");
        // What is shown of the program before is pale.
        let pale = "document.querySelectorAll('#code.stale, #picture.stale').length";
        assert_eq!(browser.text(pale), "2");
        let problem = browser.text("document.getElementById('problems').textContent");
        assert!(problem.starts_with("new.dpp:2") && problem.contains("mov"), "{problem}");
        // The problem leads to its place.
        browser.click("#problems button", 0.5, 0.5);
        browser.wait("document.activeElement.classList.contains('cm-content')");
        write(&mut browser, "    mov o0, {1, 0, 0.5, 1}\n");
        settled(&mut browser);
        assert_eq!(browser.text("document.getElementById('status').className"), "good");
        assert_eq!(browser.text(pale), "0");
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [255, 0, 128]));
        content(&mut browser);
        let mut browser = playground(1280, 800, "#e=GLSL");
        let sum = "vec4(1.0) + vec3(1.0)";
        let text =
            format!("precision highp float;\nvoid main() {{\n    gl_FragColor = {sum};\n}}\n");
        write(&mut browser, &text);
        settled(&mut browser);
        assert_eq!(status(&mut browser), "1 error");
        browser.wait(&format!("{marked} !== ''"));
        assert_eq!(browser.text(marked), "+");
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn an_endless_loop_stops_and_the_page_goes_on() {
        let mut browser = playground(1280, 800, "#e=assembly");
        let endless =
            "    mov o0, 0\nagain:\n    add r1, r1, 1\n    jump -> again\n    mov o0, r1\n";
        write(&mut browser, endless);
        browser.wait("!document.getElementById('stop').hidden");
        browser.click("#stop", 0.5, 0.5);
        settled(&mut browser);
        assert_eq!(status(&mut browser), "stopped");
        // The next program needs no reload. It comes while an endless one runs.
        write(&mut browser, &endless.replace("r1, r1, 1", "r1, r1, 2"));
        browser.wait("!document.getElementById('stop').hidden");
        write(&mut browser, "    mov o0, {0, 1, 0, 1}\n");
        settled(&mut browser);
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
        // What nobody stops ends at its limit.
        write(&mut browser, endless);
        settled(&mut browser);
        let said = status(&mut browser);
        assert!(said.contains("time limit"), "{said}");
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn a_shader_that_is_too_deep_is_an_error_and_the_page_goes_on() {
        let mut browser = playground(1280, 800, "#e=GLSL");
        let loops = "while (a < 9.0) ".repeat(2000);
        let deep = format!(
            "uniform float u; void main() {{ float a = u; {loops} a += 1.0; gl_FragColor = vec4(a); }}"
        );
        write(&mut browser, &deep);
        settled(&mut browser);
        let said = browser.text("document.body.innerText");
        assert!(said.contains("nested more than 256 levels deep"), "{said}");
        write(&mut browser, "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }");
        settled(&mut browser);
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn a_group_steps_forward_and_back_with_keys_and_from_a_pixel() {
        let mut browser = playground(1280, 800, "#e=assembly");
        write(
            &mut browser,
            "    mov r1, 0\n    add r1.r, r0.r, 1\n    mul r1.g, r1.r, 2\n    mov o0, r1\n",
        );
        settled(&mut browser);
        browser.click("#canvas", 0.0, 0.0);
        let place = "document.getElementById('where').textContent";
        browser.wait(&format!("{place}.startsWith('step 0 of 4')"));
        assert!(browser.text(place).ends_with("point (0, 0)"), "{}", browser.text(place));
        let row = |name: &str| {
            format!(
                "[...([...document.querySelectorAll('#registers tbody tr')].find((row) => \
                 row.cells[0].textContent === '{name}')?.cells ?? [])].slice(0, 5).map((cell) => cell.textContent).join('')"
            )
        };
        browser.key("ArrowRight", ALT);
        browser.key("ArrowRight", ALT);
        browser.wait(&format!("{place}.startsWith('step 2 of 4')"));
        assert_eq!(browser.text(&row("r1")), "r11000");
        browser.key("ArrowRight", ALT);
        browser.wait(&format!("{place}.startsWith('step 3 of 4')"));
        assert_eq!(browser.text(&row("r1")), "r11200");
        assert_eq!(
            browser.text("document.querySelector('.next-line').textContent.trim()"),
            "mov o0, r1"
        );
        browser.key("ArrowLeft", ALT);
        browser.wait(&format!("{place}.startsWith('step 2 of 4')"));
        assert_eq!(browser.text(&row("r1")), "r11000");
        browser.key("End", ALT);
        browser.wait(&format!("{place}.startsWith('step 4 of 4')"));
        assert_eq!(browser.text(&row("o0")), "o01200");
        // Another of the 64 points, by keys.
        browser.evaluate("document.querySelector('#grid .selected').focus()");
        browser.key("ArrowRight", 0);
        browser.wait(&format!("{place}.endsWith('point (1, 0)')"));
        assert_eq!(browser.text(&row("r1")), "r12400");
        // Where a value came from.
        browser.click("#registers tbody tr:last-child td:nth-child(3) button", 0.5, 0.5);
        browser.wait("!document.getElementById('why').hidden");
        let why = browser.text("document.getElementById('why').textContent");
        assert!(why.starts_with("o0.g = 4") && why.contains("mul r1.g"), "{why}");
        assert_eq!(browser.text("document.querySelectorAll('#grid button.active').length"), "64");
        // Its lines lead to their instructions, by mouse and by keys.
        browser.click("#why button:nth-child(2)", 0.5, 0.5);
        browser.wait(&format!("{place}.startsWith('step 2 of 4')"));
        let line = "document.querySelector('.next-line').textContent.trim()";
        assert_eq!(browser.text(line), "mul r1.g, r1.r, 2");
        let leads = "document.querySelector('#why [aria-current]').textContent.trim()";
        assert!(browser.text(leads).starts_with("r1.g = 4"), "{}", browser.text(leads));
        for _ in 0..2 {
            browser.key("Tab", 0);
        }
        let outline = "getComputedStyle(document.activeElement).outlineStyle";
        assert_eq!(browser.text(outline), "solid");
        browser.key("Enter", 0);
        browser.wait(&format!("{place}.startsWith('step 1 of 4')"));
        browser.wait("document.activeElement.dataset.of === '$r0.r'");
        assert_eq!(browser.text("document.activeElement.textContent"), "1");
        assert_eq!(browser.text("document.getElementById('why').hidden"), "false");
        browser.key("End", ALT);
        browser.wait(&format!("{place}.startsWith('step 4 of 4')"));
        assert_eq!(browser.text("document.getElementById('why').hidden"), "true");
        // The focus stays at a value while the group steps.
        browser.evaluate("document.querySelector('#registers tbody td button').focus()");
        let focused = "document.activeElement.dataset.of";
        let of = browser.text(focused);
        browser.key("ArrowLeft", ALT);
        browser.wait(&format!("{place}.startsWith('step 3 of 4')"));
        assert_eq!(browser.text(focused), of);
        // Another point of the same group, in the picture.
        // The browser leaves out parts of its pixels, which are smaller than the points.
        browser.click("#canvas", 5.8 / 192.0, 2.8 / 144.0);
        browser.wait(&format!("{place}.endsWith('point (5, 2)')"));
        content(&mut browser);
    }

    /// The values of a point of the picture: floats, and numbers of another format.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn the_picture_tells_the_values_of_points() {
        let mut browser = playground(1280, 800, "#e=assembly");
        write(&mut browser, "    mul o0, r0, {0.5, 1, 0, 0}\n");
        settled(&mut browser);
        let under = "document.getElementById('under').textContent";
        browser.evaluate("document.getElementById('canvas').focus()");
        browser.key("ArrowRight", 0);
        browser.wait(&format!("{under} === '(97, 72): 48.5, 72, 0, 0'"));
        browser.evaluate(
            "document.getElementById('canvas').dispatchEvent(new PointerEvent('pointermove'))",
        );
        browser.wait(&format!("{under} === '(0, 0): 0, 0, 0, 0'"));
        content(&mut browser);
        // The steps of a point, as a stored 16-bit number: those inside the set take all of 128.
        let mut browser = playground(1280, 800, "#e=mandelbrot%2Fmandelbrot");
        choose(&mut browser, "pictures", "1");
        browser.evaluate("document.getElementById('canvas').focus()");
        browser.key("ArrowRight", 0);
        browser.wait(&format!("{under} === '(257, 192): 128'"));
        content(&mut browser);
    }

    /// Choosing another example loses nothing: the way back leads to it. A changed example can be chosen again.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn another_example_leaves_a_way_back() {
        let mut browser = playground(1280, 800, "#e=assembly");
        let source = "document.querySelector('.cm-content').textContent";
        let before = browser.text(source);
        write(&mut browser, "    mov o0, {0, 1, 0, 1} ; mine\n");
        let listed = "document.getElementById('examples').selectedOptions[0].text";
        browser.wait(&format!("{listed}.endsWith(', changed')"));
        choose(&mut browser, "examples", "'sphere'");
        browser.wait(&format!("{source}.includes('mainImage')"));
        assert!(!browser.text(listed).ends_with(", changed"));
        browser.evaluate("history.back()");
        browser.wait(&format!("{source}.includes('; mine')"));
        settled(&mut browser);
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
        choose(&mut browser, "examples", "'assembly'");
        browser.wait(&format!("{source} === {before:?}"));
        content(&mut browser);
    }

    /// A job of several passes: a pixel leads to a launch that has it, an instruction to its program.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn pixels_and_instructions_lead_to_their_launches() {
        let mut browser = playground(1280, 800, "#e=histogram%2Fhistogram");
        let place = "document.getElementById('where').textContent";
        // The picture of 192 x 144 points is that of the first pass.
        let numbers = "[...list.options].findIndex((one) => one.text.startsWith('numbers'))";
        choose(&mut browser, "pictures", numbers);
        browser.click("#canvas", 0.601, 0.601);
        browser.wait(&format!("/of 432 . point .115, 86.$/.test({place})"));
        let file = "document.querySelector('#files [aria-selected=true]').textContent";
        assert_eq!(browser.text(file), "histogram.dpp");
        // An instruction of the last program.
        choose(&mut browser, "programs", "list.options.length - 1");
        let last = browser.text("document.getElementById('programs').selectedOptions[0].text");
        browser.key("2", ALT);
        browser.key("ArrowDown", 0);
        browser.key("Enter", 0);
        browser.wait(&format!("{place}.startsWith('step 1 of')"));
        assert_eq!(
            browser.text("document.getElementById('programs').selectedOptions[0].text"),
            last
        );
        // The job loses that pass: the stepper goes to a launch that is left.
        let job = root().join("kernels/histogram/histogram.toml");
        let job = std::fs::read_to_string(job).expect("a job");
        // Nothing writes the picture then.
        let job = job.replace("image = \"histogram.png\"\nscale = 3\n", "");
        let end = job.match_indices("[[pass]]").nth(1).expect("a second pass").0;
        browser.evaluate(
            "[...document.querySelectorAll('#files button')].find((one) => one.textContent.endsWith('.toml')).click()",
        );
        write(&mut browser, &job[..end]);
        settled(&mut browser);
        assert!(status(&mut browser).starts_with("exact"), "{}", status(&mut browser));
        browser.wait(&format!("{place}.includes('of 432')"));
        // The outline is inside the picture.
        let right =
            |id: &str| format!("document.getElementById('{id}').getBoundingClientRect().right");
        let inside = format!("{} <= {} + 4", right("cross"), right("canvas"));
        assert_eq!(browser.text(&inside), "true");
        // The points stand as in the picture of a GLSL shader: the first row is at the bottom.
        let mut browser = playground(1280, 800, "#e=sphere");
        browser.click("#canvas", 0.5, 0.5);
        browser.wait("!document.getElementById('stepping').hidden");
        let top = |n: u32| {
            format!("document.querySelectorAll('#grid button')[{n}].getBoundingClientRect().top")
        };
        assert_eq!(browser.text(&format!("{} > {}", top(0), top(63))), "true");
        let button = "document.getElementById('forward').getBoundingClientRect().top";
        let before = browser.text(button);
        for _ in 0..12 {
            browser.key("ArrowRight", ALT);
        }
        browser.wait(&format!("{place}.startsWith('step 12 of')"));
        assert_eq!(browser.text(button), before);
        content(&mut browser);
    }

    /// Text typed just now is checked; a picture from before a stop is not shown as a new one.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn what_is_said_is_about_the_text_that_is_shown() {
        let mut browser = playground(1280, 800, "#e=assembly");
        write(&mut browser, "    mov o0, {0, 1, 0, 1}\n");
        browser.key("Enter", CONTROL);
        browser.wait(
            "document.getElementById('status').textContent.startsWith('every point was checked')",
        );
        settled(&mut browser);
        assert!(status(&mut browser).starts_with("every point was checked"));
        let endless =
            "    mov o0, 0\nagain:\n    add r1, r1, 1\n    jump -> again\n    mov o0, r1\n";
        write(&mut browser, endless);
        browser.wait("!document.getElementById('stop').hidden");
        browser.click("#stop", 0.5, 0.5);
        settled(&mut browser);
        browser.key("ArrowRight", ALT);
        browser.wait("document.getElementById('where').textContent.startsWith('step 0')");
        assert_ne!(browser.text("document.getElementById('status').className"), "good");
        assert_eq!(browser.text("document.querySelectorAll('#picture.stale').length"), "1");
        // With an error there is nothing to check: the focus goes to it.
        write(&mut browser, "    mvo o0, r0\n");
        settled(&mut browser);
        browser.key("Enter", CONTROL);
        browser.wait("document.activeElement.closest('#problems') !== null");
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn keys_alone_reach_everything() {
        let mut browser = playground(1280, 800, "#e=sphere");
        // The first stop leads past the bar, and stays in the document.
        browser.key("Tab", 0);
        assert_eq!(browser.text("document.activeElement.id"), "skip");
        assert_eq!(browser.text("document.activeElement.getBoundingClientRect().top >= 0"), "true");
        browser.key("Enter", 0);
        assert_eq!(browser.text("document.activeElement.id + location.hash"), "main#e=sphere");
        browser.key("Tab", 0);
        assert_eq!(browser.text("document.activeElement.closest('#source') !== null"), "true");
        browser.key("4", ALT);
        assert_eq!(browser.text("document.activeElement.id"), "canvas");
        browser.key("ArrowLeft", 0);
        browser.key("Enter", 0);
        browser.wait("!document.getElementById('stepping').hidden");
        browser.key("2", ALT);
        assert_eq!(browser.text("document.activeElement.id"), "listing");
        browser.key("ArrowDown", 0);
        browser.key("ArrowDown", 0);
        browser.key("Enter", 0);
        browser.wait("document.querySelector('#listing .next')?.dataset.pc === '2'");
        browser.key("Escape", 0);
        browser.wait("document.getElementById('stepping').hidden");
        browser.key("Enter", CONTROL);
        browser.wait(
            "document.getElementById('status').textContent.startsWith('every point was checked')",
        );
        browser.key("1", ALT);
        assert_eq!(browser.text("document.activeElement.classList.contains('cm-content')"), "true");
        // Tab leaves the editor, and goes everywhere.
        browser.key("Tab", 0);
        assert_eq!(
            browser.text("document.activeElement.classList.contains('cm-content')"),
            "false"
        );
        assert_eq!(browser.unreached(), Vec::<String>::new());
        // Ctrl+Enter is no Enter on an instruction.
        assert_eq!(browser.text("document.getElementById('stepping').hidden"), "true");
        // On a phone one pane is shown; the tabs lead to the others.
        let mut phone = playground(390, 844, "#e=sphere");
        for view in ["source", "code", "step", "picture"] {
            phone.evaluate(&format!("document.querySelector('nav [data-view={view}]').focus()"));
            phone.key("Enter", 0);
            assert_eq!(phone.unreached(), Vec::<String>::new(), "{view}");
        }
        content(&mut phone);
        content(&mut browser);
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn the_job_runs_on_the_gpu_and_every_word_is_the_same() {
        let mut browser = playground(1280, 800, "#e=plasma");
        browser.key("g", ALT);
        browser.wait("document.getElementById('witness').open");
        // The frame is a stranger to the page: it cannot reach the document.
        assert_eq!(browser.text("document.getElementById('frame-gpu').contentDocument"), "null");
        browser.in_frame(|frame| {
            frame.wait("document.getElementById('run')?.disabled === false");
            assert_eq!(frame.text("origin"), "null");
            frame.evaluate("document.getElementById('run').click()");
            frame.wait("document.getElementById('state').textContent === 'done'");
            let lines = frame.text("document.getElementById('lines').innerText");
            for engine in ["interpreter", "translated"] {
                assert!(lines.contains(&format!("{engine}: the same ")), "{lines}");
            }
            // A key in the frame closes the dialog.
            frame.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })) && 0");
        });
        browser.wait("!document.getElementById('witness').open");
        content(&mut browser);
    }

    /// The third launch of the histogram has a group of 64 x 1 points, of which 4 run.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn a_group_of_one_row_fits_and_shows_the_points_that_run() {
        for (width, height) in [(1280, 800), (390, 844)] {
            let mut browser = playground(width, height, "#e=histogram%2Fhistogram");
            browser.key("ArrowRight", ALT);
            browser.wait("document.getElementById('where').textContent.startsWith('step 0')");
            choose(&mut browser, "launch", "2");
            browser.wait("document.getElementById('where').textContent.includes('of 1 ')");
            let shown = "[...document.querySelectorAll('#grid button')].filter((one) => one.checkVisibility())";
            assert_eq!(browser.text(&format!("{shown}.length")), "4");
            let step = "document.getElementById('step')";
            assert_eq!(browser.text(&format!("{step}.scrollWidth <= {step}.clientWidth")), "true");
            content(&mut browser);
        }
    }

    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn dialogs_and_long_errors_fit_and_give_the_focus_back() {
        for (width, height) in [(1280, 800), (390, 844)] {
            let mut browser = playground(width, height, "#e=GLSL");
            let name = "name".repeat(40);
            write(&mut browser, &format!("void main() {{ gl_FragColor = vec4({name}); }}\n"));
            settled(&mut browser);
            assert_eq!(status(&mut browser), "1 error");
            let fits = |browser: &mut Browser, what: &str| {
                browser.shot(&format!("{width}-{what}"));
                let wide = browser.text("document.documentElement.scrollWidth");
                assert_eq!(wide, width.to_string(), "{what}");
            };
            fits(&mut browser, "error");
            let list = "document.getElementById('problems')";
            assert_eq!(browser.text(&format!("{list}.scrollWidth <= {list}.clientWidth")), "true");
            write(&mut browser, "void main() { gl_FragColor = vec4(0.5); }\n");
            settled(&mut browser);
            for (button, dialog) in [("help", "about"), ("gpu", "witness")] {
                browser.evaluate(&format!("document.getElementById('{button}').focus()"));
                browser.key("Enter", 0);
                browser.wait(&format!("document.getElementById('{dialog}').open"));
                if dialog == "witness" {
                    browser.in_frame(|frame| {
                        frame.wait("document.getElementById('run')?.disabled === false");
                        let wide = "document.documentElement";
                        let fits = format!("{wide}.scrollWidth <= {wide}.clientWidth");
                        assert_eq!(frame.text(&fits), "true");
                    });
                }
                fits(&mut browser, dialog);
                browser.key("Escape", 0);
                browser.wait(&format!("!document.getElementById('{dialog}').open"));
                assert_eq!(browser.text("document.activeElement.id"), button);
            }
            content(&mut browser);
        }
    }

    /// With `CTM_SCREENSHOTS=FOLDER` it leaves what it sees there; docs/pictures/playground.png comes from it.
    #[test]
    #[ignore = "needs Chromium and web/build.sh"]
    fn the_page_fits_wide_and_narrow_screens_in_light_and_dark() {
        // A pane that is shown has room for some lines, and the state for its words.
        let roomy = |browser: &mut Browser, view: &str| {
            let pane = match view {
                "source" => "#editor",
                "code" => "#listing",
                "step" => "#step",
                _ => "#frame",
            };
            let size = |of: &str, side: &str| {
                format!("document.querySelector('{of}').getBoundingClientRect().{side}")
            };
            let height: f64 = browser.text(&size(pane, "height")).parse().expect("a height");
            let width: f64 = browser.text(&size("#status", "width")).parse().expect("a width");
            assert!(height >= 90.0 && width >= 100.0, "{view}: {height}, status {width}");
        };
        let sizes = [(1280, 800), (390, 844), (1000, 700), (1080, 800), (844, 390), (640, 400)];
        for (width, height) in sizes {
            let both = width == 1280 || width == 390;
            for scheme in ["light", "dark"].into_iter().take(1 + usize::from(both)) {
                let mut browser = playground(width, height, "#e=mandelbrot%2Fmandelbrot");
                let feature =
                    serde_json::json!([{ "name": "prefers-color-scheme", "value": scheme }]);
                browser
                    .call("Emulation.setEmulatedMedia", serde_json::json!({ "features": feature }));
                let light = browser
                    .text("getComputedStyle(document.querySelector('section')).backgroundColor");
                assert_eq!(light == "rgb(255, 255, 255)", scheme == "light", "{light}");
                browser.click("#canvas", 0.34, 0.4);
                browser.wait("document.getElementById('where').textContent.startsWith('step 0')");
                for _ in 0..60 {
                    browser.key("ArrowRight", ALT);
                }
                browser.wait("document.getElementById('where').textContent.startsWith('step 60')");
                for view in ["source", "code", "step", "picture"] {
                    browser.evaluate(&format!(
                        "document.querySelector('nav [data-view={view}]').click()"
                    ));
                    let wide = browser.text("document.documentElement.scrollWidth");
                    assert_eq!(wide, width.to_string(), "{view}, {scheme}");
                    roomy(&mut browser, view);
                    browser.shot(&format!("{width}-{scheme}-{view}"));
                }
                content(&mut browser);
            }
        }
    }
}
