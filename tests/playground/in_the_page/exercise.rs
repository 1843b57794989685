//! Exercises, frames in other pages, and links of exported pages.

use super::*;
use std::process::Command;

/// Writes a page of `ctm export`. Returns its folder and its path.
fn exported(job: &str, more: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let mut ctm = Command::new(env!("CARGO_BIN_EXE_ctm"));
    ctm.arg("export").arg(root().join(job)).arg("--html").arg(&page).args(more);
    ctm.env("CTM_PLAYGROUND", format!("file://{}", file().display()));
    let ran = ctm.output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    (folder, page)
}

/// The exercise of docs/browser.md: its start is not what is expected, its solution is.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn an_exercise_tells_when_it_is_solved() {
    let playground = file();
    let playground = playground.to_str().expect("a path");
    let (_folder, page) = exported("examples/exercise/exercise.toml", &["--exercise", playground]);
    let solution = std::fs::read_to_string(root().join("examples/exercise/solution.frag"));
    let solution = solution.expect("a solution");
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(!text.contains("step(length(at)"), "the page has the solution");
    for (width, height) in [(1280, 800), (390, 844)] {
        let mut browser = Browser::start(width, height);
        browser.open(&format!("file://{}", page.display()));
        settled(&mut browser);
        let verdict = "document.getElementById('verdict').textContent";
        let task = browser.text("document.getElementById('task').textContent");
        assert!(task.contains("white disc"), "{task}");
        let said = browser.text(verdict);
        assert!(said.starts_with("Not yet: output 0: ") && said.contains("first at"), "{said}");
        // What is to be reached is shown.
        let target = "document.getElementById('target')";
        let url = browser.text(&format!("{target}.toDataURL()"));
        let bytes = STANDARD.decode(url.split_once(',').expect("data").1).expect("base64");
        let goal = browser::pixels(&bytes);
        browser.shot(&format!("{width}-light-exercise"));
        // A hint is what the checks find.
        write(
            &mut browser,
            &solution
                .replace("vec4(vec3(inside), 1.0)", "vec4(0.0)")
                .replace("gl_FragColor", "if (at.x > 1.0) gl_FragColor"),
        );
        settled(&mut browser);
        browser.click("#hint", 0.5, 0.5);
        browser.wait(
            "document.getElementById('status').textContent.startsWith('every point was checked: ')",
        );
        assert!(browser.text("document.getElementById('problems').childElementCount") != "0");
        write(&mut browser, &solution);
        settled(&mut browser);
        assert_eq!(browser.text(verdict), "This is what is expected.");
        assert_eq!(pixels(&mut browser), goal);
        browser.shot(&format!("{width}-light-solved"));
        assert_eq!(browser.text("document.documentElement.scrollWidth"), width.to_string());
        // A reload keeps what was written; the start can be had again.
        browser.call("Page.reload", serde_json::json!({}));
        browser.wait("document.body?.dataset.done === undefined");
        settled(&mut browser);
        assert_eq!(browser.text(verdict), "This is what is expected.");
        browser.click("#again", 0.5, 0.5);
        browser.wait(&format!("{verdict} === {said:?}"));
        content(&mut browser);
    }
}

/// A page in a frame shows the source and the picture, and leads to all of it.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_frame_shows_one_program() {
    for (width, height) in [(800, 400), (390, 600)] {
        let mut browser = playground(width, height, "?embed#e=sphere");
        let shown = |browser: &mut Browser, id: &str| {
            browser.text(&format!("document.getElementById('{id}').checkVisibility()"))
        };
        for id in ["editor", "canvas", "play", "status", "whole"] {
            assert_eq!(shown(&mut browser, id), "true", "{id}");
        }
        for id in ["listing", "step", "examples", "check", "gpu", "share", "open", "intro"] {
            assert_eq!(shown(&mut browser, id), "false", "{id}");
        }
        browser.shot(&format!("{width}-light-embed"));
        // It runs as it is written.
        let green = "void mainImage(out vec4 color, in vec2 at) { color = vec4(0.0, 1.0 + iTime, 0.0, 1.0); }\n";
        write(&mut browser, green);
        settled(&mut browser);
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
        browser.click("#canvas", 0.5, 0.5);
        assert_eq!(browser.text("document.documentElement.scrollWidth"), width.to_string());
        browser.evaluate("document.getElementById('whole').focus()");
        let whole = browser.text("document.getElementById('whole').href");
        assert!(whole.contains("index.html#s=") && !whole.contains("embed"), "{whole}");
        assert_eq!(browser.unreached(), Vec::<String>::new());
        content(&mut browser);
        browser.open(&whole);
        settled(&mut browser);
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
        assert_eq!(shown(&mut browser, "share"), "true");
    }
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn an_exported_page_opens_its_job_in_the_playground() {
    let (_folder, page) = exported("kernels/glsl/plasma.toml", &[]);
    // The picture does not move by itself.
    let mut browser = playground(1280, 800, "");
    browser.open(&format!("file://{}", page.display()));
    let made = browser.text("document.querySelector('footer').textContent");
    assert!(made.contains("from plasma.toml, plasma.frag"), "{made}");
    let address = browser.text("document.querySelector('#playground a').href");
    browser.open(&address);
    settled(&mut browser);
    let found = pixels(&mut browser);
    choose(&mut browser, "examples", "'plasma'");
    browser.wait("document.getElementById('examples').value === 'plasma'");
    settled(&mut browser);
    assert!(pixels(&mut browser) == found);
    content(&mut browser);
}
