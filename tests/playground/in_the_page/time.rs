//! Time that runs: play, pause, the pointer, and steps of jobs that feed back.

use super::*;

const FRAMES: &str = "Number(document.body.dataset.frames ?? 0)";

/// Waits for more frames.
fn frames(browser: &mut Browser, more: u32) {
    let now = browser.text(FRAMES);
    browser.wait(&format!("{FRAMES} >= {now} + {more}"));
}

/// Pauses, and waits until no frame is on its way.
fn pause(browser: &mut Browser) {
    browser.key("p", ALT);
    browser.wait("document.body.dataset.playing === 'false'");
    still(browser);
}

/// Waits until no frame comes any more.
fn still(browser: &mut Browser) {
    let gone = format!(
        "new Promise((done) => {{ const before = {FRAMES}; \
         setTimeout(() => done({FRAMES} === before), 400); }})"
    );
    browser.wait(&gone);
}

/// Presses the mouse at a place of the picture, moves it to another one, and lets go.
fn drag(browser: &mut Browser, from: (f64, f64), to: (f64, f64)) {
    let place = |browser: &mut Browser, (x, y): (f64, f64)| {
        browser.evaluate(&format!(
            "(() => {{ const box = document.getElementById('canvas').getBoundingClientRect(); \
             return [box.left + {x} * box.width, box.top + {y} * box.height]; }})()"
        ))
    };
    let (from, to) = (place(browser, from), place(browser, to));
    for (kind, at) in
        [("mousePressed", &from), ("mouseMoved", &to), ("mouseMoved", &to), ("mouseReleased", &to)]
    {
        let params = serde_json::json!({
            "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": 1, "clickCount": 1,
        });
        browser.call("Input.dispatchMouseEvent", params);
    }
}

/// The first thing that a visitor sees: what this is, and a picture that moves.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn the_first_screen_says_what_this_is_and_moves() {
    let mut browser = visit(1280, 800, "", "no-preference");
    frames(&mut browser, 3);
    browser.shot("1280-light-first");
    let intro = "document.getElementById('intro')";
    let said = browser.text(&format!("{intro}.textContent"));
    assert!(said.contains("2006") && said.contains("to the bit"), "{said}");
    let groups = browser.text("document.querySelectorAll('#examples optgroup').length");
    assert!(groups.parse::<u32>().expect("a number") >= 5, "{groups}");
    // The link leads to more about it.
    browser.click("#more", 0.5, 0.5);
    browser.wait("document.getElementById('about').open");
    browser.shot("1280-light-about");
    browser.key("Escape", 0);
    browser.click("#read", 0.5, 0.5);
    assert_eq!(browser.text(&format!("{intro}.hidden")), "true");
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.body?.dataset.done === undefined");
    settled(&mut browser);
    assert_eq!(browser.text(&format!("{intro}.hidden")), "true");
    content(&mut browser);
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn time_runs_pauses_and_goes_back_to_the_start() {
    let mut browser = playground(1280, 800, "#e=sphere");
    let first = pixels(&mut browser);
    // A visitor who wants no motion starts it himself.
    assert_eq!(browser.text(FRAMES), "0");
    browser.click("#play", 0.5, 0.5);
    frames(&mut browser, 3);
    assert!(pixels(&mut browser) != first);
    // Nothing runs while nobody can see it.
    browser.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true }) && 0",
    );
    still(&mut browser);
    browser.evaluate("delete document.hidden");
    browser.evaluate("document.dispatchEvent(new Event('visibilitychange')) && 0");
    frames(&mut browser, 2);
    // An edit does not stop it; errors do until they are gone.
    let source = "void mainImage(out vec4 color, in vec2 at) { color = vec4(fract(iTime)); }\n";
    write(&mut browser, source);
    settled(&mut browser);
    frames(&mut browser, 2);
    write(&mut browser, &source.replace("fract", "fact"));
    settled(&mut browser);
    assert_eq!(status(&mut browser), "1 error");
    write(&mut browser, source);
    settled(&mut browser);
    frames(&mut browser, 2);
    pause(&mut browser);
    // The stepper steps through the picture that is shown.
    let (_, shown) = pixels(&mut browser);
    browser.click("#canvas", 0.5, 0.5);
    browser.wait("document.getElementById('where').textContent.startsWith('step 0')");
    browser.click("#last", 0.5, 0.5);
    browser.wait("document.querySelector('#registers [data-of^=\"$o0\"]') !== null");
    let red = browser.text("document.querySelector('#registers [data-of^=\"$o0\"]').textContent");
    let red: f64 = red.parse().expect("a number");
    assert!((red * 255.0 - f64::from(shown[0])).abs() < 0.51, "{red} {}", shown[0]);
    assert_eq!(pixels(&mut browser).1, shown);
    // Back to what the job says: iTime = 0.5.
    browser.click("#rewind", 0.5, 0.5);
    browser.wait("document.getElementById('clock').textContent === '0.5 s'");
    assert_eq!(pixels(&mut browser).1[0], 128);
    content(&mut browser);
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn the_pointer_is_the_shaders_mouse() {
    let mut browser = playground(1280, 800, "#e=ball");
    let first = pixels(&mut browser);
    drag(&mut browser, (0.2, 0.2), (0.8, 0.3));
    browser.wait(&format!("{FRAMES} > 0"));
    still(&mut browser);
    assert!(pixels(&mut browser) != first);
    // It was no click on a pixel; one without a way is.
    assert_eq!(browser.text("document.getElementById('stepping').hidden"), "true");
    browser.click("#canvas", 0.5, 0.5);
    browser.wait("!document.getElementById('stepping').hidden");
    content(&mut browser);
    // While time runs, too, and the shader's mouse stays where it is.
    let mut browser = playground(1280, 800, "#e=ball");
    let source = "void mainImage(out vec4 color, in vec2 at) { color = vec4(iMouse.x, iMouse.y, fract(iTime), 1.0); }\n";
    write(&mut browser, source);
    settled(&mut browser);
    browser.click("#play", 0.5, 0.5);
    frames(&mut browser, 2);
    browser.click("#canvas", 0.5, 0.5);
    browser.wait("!document.getElementById('stepping').hidden");
    assert_eq!(browser.text("document.body.dataset.playing"), "false");
    assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel[..2] == [0, 0]));
    content(&mut browser);
}

/// Steps of the game of life go on; stepping through a pixel goes back to what the job says.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_job_that_feeds_back_runs_on() {
    let mut browser = playground(390, 844, "#e=life");
    let last = pixels(&mut browser);
    browser.click("#play", 0.5, 0.5);
    browser.wait("/^step (1[2-9]|[2-9].)/.test(document.getElementById('clock').textContent)");
    pause(&mut browser);
    browser.shot("390-light-life");
    assert!(pixels(&mut browser) != last);
    browser.click("#canvas", 0.5, 0.5);
    browser.wait("document.getElementById('where').textContent.startsWith('step 0')");
    assert!(pixels(&mut browser) == last);
    content(&mut browser);
}
