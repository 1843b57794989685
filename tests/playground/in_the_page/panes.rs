//! Borders between panes, and lines that wrap.

use super::*;

fn width(browser: &mut Browser, pane: &str) -> f64 {
    let width = format!("document.getElementById('{pane}').getBoundingClientRect().width");
    browser.text(&width).parse().expect("a width")
}

/// Drags an element by some pixels.
fn drag(browser: &mut Browser, id: &str, by: (f64, f64)) {
    let at = browser.evaluate(&format!(
        "(() => {{ const box = document.getElementById('{id}').getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
    ));
    let at = [0, 1].map(|n| at[n].as_f64().expect("a place"));
    let ends = [
        ("mousePressed", at),
        ("mouseMoved", [at[0] + by.0, at[1] + by.1]),
        ("mouseReleased", [at[0] + by.0, at[1] + by.1]),
    ];
    for (kind, [x, y]) in ends {
        let params = serde_json::json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        browser.call("Input.dispatchMouseEvent", params);
    }
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn borders_move_with_the_mouse_and_with_keys_and_stay() {
    let mut browser = playground(1280, 800, "#e=plasma");
    let before = ["source", "code", "picture"].map(|pane| width(&mut browser, pane));
    drag(&mut browser, "before-code", (-100.0, 0.0));
    let near = |found: f64, wanted: f64| (found - wanted).abs() < 3.0;
    assert!(near(width(&mut browser, "source"), before[0] - 100.0));
    assert!(near(width(&mut browser, "code"), before[1] + 100.0));
    assert!(near(width(&mut browser, "picture"), before[2]));
    browser.evaluate("document.getElementById('before-picture').focus()");
    browser.key("ArrowLeft", 0);
    browser.key("ArrowLeft", 0);
    assert!(near(width(&mut browser, "picture"), before[2] + 48.0));
    // The picture fills its pane.
    let fits = "document.getElementById('canvas').getBoundingClientRect().width";
    let pane = width(&mut browser, "frame");
    browser.wait(&format!("Math.abs({fits} - {pane}) < 20"));
    // No pane is moved away.
    drag(&mut browser, "before-code", (-1000.0, 0.0));
    assert!(near(width(&mut browser, "source"), 200.0));
    browser.click("#canvas", 0.5, 0.5);
    browser.wait("!document.getElementById('stepping').hidden");
    let height = "document.getElementById('step').getBoundingClientRect().height";
    let high: f64 = browser.text(height).parse().expect("a height");
    drag(&mut browser, "before-step", (0.0, -60.0));
    let higher: f64 = browser.text(height).parse().expect("a height");
    assert!(near(higher, high + 60.0), "{high} {higher}");
    browser.shot("1280-light-borders");
    // A reload keeps them; a double click puts them back.
    let now = width(&mut browser, "code");
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.body?.dataset.done === undefined");
    settled(&mut browser);
    assert!(near(width(&mut browser, "code"), now));
    browser.evaluate(
        "document.getElementById('before-code').dispatchEvent(new MouseEvent('dblclick'))",
    );
    assert!(near(width(&mut browser, "code"), before[1]));
    content(&mut browser);
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn long_lines_wrap_if_one_wants_it() {
    let mut browser = playground(390, 844, "#e=GLSL");
    let long = format!("void main() {{ gl_FragColor = vec4({}); }}\n", "1.0 + ".repeat(40) + "1.0");
    write(&mut browser, &long);
    settled(&mut browser);
    let wide = "(() => { const one = document.querySelector('.cm-scroller'); return one.scrollWidth > one.clientWidth + 5; })()";
    assert_eq!(browser.text(wide), "true");
    browser.key("z", ALT);
    browser.wait(&format!("!{wide}"));
    assert_eq!(browser.text("document.getElementById('wrap').ariaPressed"), "true");
    // Another file wraps, too, and so does the page after a reload.
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.body?.dataset.done === undefined");
    settled(&mut browser);
    assert_eq!(browser.text(wide), "false");
    browser.click("#wrap", 0.5, 0.5);
    browser.wait(wide);
    content(&mut browser);
}
