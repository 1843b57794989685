//! Variables of the source in the stepper: values, places, what registers hold, and the value that is watched.

use super::*;

const SOURCE: &str = "precision highp float;\nvoid main() {\n    vec2 near = gl_FragCoord.xy * 0.25;\n    \
    float root = sqrt(near.x);\n    float sum = 0.0;\n    for (int n = 0; n < 3; n++) sum = sum * 0.5 + root;\n    \
    gl_FragColor = vec4(root, near.y, sum, 1.0);\n}\n";

/// The cells of a row of the table, by its name.
fn row(name: &str) -> String {
    format!(
        "([...document.querySelectorAll('#registers tr')].filter((row) => row.cells[0].textContent.split(' ')[0] === '{name}')\
         .map((row) => [...row.cells].slice(1).map((cell) => cell.textContent).join(' '))[0] ?? '')"
    )
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn variables_have_values_places_and_registers_their_names() {
    let mut browser = playground(1280, 800, "#e=GLSL");
    write(&mut browser, SOURCE);
    settled(&mut browser);
    browser.click("#canvas", 33.5 / 192.0, 0.5);
    let place = "document.getElementById('where').textContent";
    browser.wait(&format!("{place}.startsWith('step 0 of')"));
    assert_eq!(browser.text(&row("root")), "");
    // Forward to where `root` has a value: the square root of (33 + 0.5) / 4.
    browser.evaluate("document.getElementById('watch').focus()");
    browser.insert("root");
    browser.key("Enter", 0);
    browser.wait(&format!("{}.startsWith('2.89396 ')", row("root")));
    assert_eq!(browser.text("document.getElementById('watchvalue').textContent"), "2.89396");
    let text = browser.text(&row("root"));
    assert!(text.contains(", line 4, always in ["), "{text}");
    // The register of its place is labelled by it now.
    let register = text.split_once('r').expect("a register").1;
    let register = format!("r{}", register.split_once('.').expect("a channel").0);
    let label = format!(
        "[...document.querySelectorAll('#registers th')].map((one) => one.textContent).find((one) => \
         one.startsWith('{register} ')) ?? ''"
    );
    assert!(browser.text(&label).contains("root"), "{}", browser.text(&label));
    // The points show it, and a value leads to its past.
    choose(&mut browser, "watched", "'variable root'");
    browser.wait(
        "document.querySelector('#grid .selected').title.endsWith('root = 2.89396, 0, 0, 0')",
    );
    browser.click("#registers [data-of=root]", 0.5, 0.5);
    browser.wait("!document.getElementById('why').hidden");
    let why = browser.text("document.getElementById('why').textContent");
    assert!(why.starts_with("root in ") && why.contains("rsq"), "{why}");
    browser.shot("1280-light-variables");
    // Over its name in the source there is its value, and over an instruction what it does.
    let about = "document.querySelector('#listing li').title";
    browser.evaluate(
        "document.querySelector('#listing li').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))",
    );
    assert!(browser.text(about).contains("CTM Guide, page"), "{}", browser.text(about));
    // A condition: nothing changes after that, so the step stays.
    browser.evaluate("document.getElementById('watch').focus()");
    browser.key("a", CONTROL);
    browser.insert("root if root > 100");
    let before = browser.text(place);
    browser.key("Enter", 0);
    browser.wait(
        "document.getElementById('status').textContent.startsWith('root does not change after')",
    );
    assert_eq!(browser.text(place), before);
    // At the end registers have no names, for no point runs an instruction.
    browser.key("End", ALT);
    browser
        .wait(&format!("!{place}.startsWith('{}')", before.split(" of").next().expect("a step")));
    browser.wait(&format!("({label}) === ''"));
    assert_eq!(browser.text(&row("root")), "");
    browser.click("#colour", 0.5, 0.5);
    browser.wait("document.getElementById('why').textContent.startsWith('o0.r')");
    let roots = "[...document.querySelectorAll('#why .root')].map((one) => one.textContent.slice(0, 4)).join()";
    assert_eq!(browser.text(roots), "o0.r,o0.g,o0.b");
    // Escape leads back to the picture.
    browser.evaluate("document.getElementById('forward').focus()");
    browser.key("Escape", 0);
    browser.wait("document.activeElement.id === 'canvas'");
    content(&mut browser);
}

/// A program that was changed, and gives the same for all inputs.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_changed_program_is_said_to_be_proved_the_same() {
    let mut browser = playground(1280, 800, "#e=GLSL");
    let same = "document.getElementById('same').hidden";
    assert_eq!(browser.text(same), "true");
    browser.evaluate("document.querySelector('.cm-content').focus()");
    browser.key("End", CONTROL);
    browser.insert("\nfloat unused() { return 1.0; }\n");
    browser.wait(&format!("{same} === false"));
    browser.shot("1280-light-proved");
    browser.insert("\nfloat unused() { return 1.0; }\n");
    browser.wait(&format!("{same} === true"));
    content(&mut browser);
}
