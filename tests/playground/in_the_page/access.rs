//! What axe-core finds in the page: names, roles, contrast.

use super::*;

/// The violations that it finds, each with its elements.
fn violations(browser: &mut Browser) -> Vec<String> {
    let found = browser.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) => \
         `${id}: ${help}: ${nodes.map(({ target, any }) => `${target.join(' ')} (${any.map(({ message }) => message).join(', ')})`).join('; ')}`))",
    );
    serde_json::from_value(found).expect("texts")
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn axe_finds_nothing_wide_and_narrow_in_light_and_dark() {
    let axe = root().join("web/node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(axe).expect("web/build.sh installs it");
    let mut wrong = Vec::new();
    for (width, height) in [(1280, 800), (390, 844)] {
        for scheme in ["light", "dark"] {
            let mut browser = playground(width, height, "#e=sphere");
            let features = serde_json::json!([
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ]);
            browser.call("Emulation.setEmulatedMedia", serde_json::json!({ "features": features }));
            browser.evaluate(&format!("{axe}; 0"));
            let mut look = |browser: &mut Browser, what: &str| {
                let found = violations(browser);
                wrong
                    .extend(found.into_iter().map(|one| format!("{width} {scheme} {what}: {one}")));
            };
            for view in ["source", "code", "form", "step", "picture"] {
                let press = format!("document.querySelector('nav [data-view={view}]').click()");
                browser.evaluate(&press);
                look(&mut browser, view);
            }
            browser.click("#canvas", 0.5, 0.5);
            browser.wait("!document.getElementById('stepping').hidden");
            browser.evaluate("document.querySelector('nav [data-view=step]').click()");
            browser.evaluate("document.querySelector('#registers tbody button').click()");
            browser.wait("!document.getElementById('why').hidden");
            look(&mut browser, "stepping");
            browser.evaluate("document.querySelector('nav [data-view=source]').click()");
            write(&mut browser, "void main() { gl_FragColor = vec4(x); }\n");
            settled(&mut browser);
            look(&mut browser, "error");
            browser.evaluate("document.getElementById('help').click()");
            look(&mut browser, "about");
            browser.key("Escape", 0);
            browser.evaluate("document.getElementById('open').click()");
            browser.wait("document.getElementById('opening').open");
            look(&mut browser, "open");
            content(&mut browser);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
