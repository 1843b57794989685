//! What comes from outside: an address that brings a document, and text that becomes HTML.

use super::*;
use crate::browser::{attacked, policy, withstands};
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateEncoder;
use std::io::Read;

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_link_restores_the_source() {
    let mut browser = playground(390, 844, "#e=GLSL");
    let text = "precision highp float;\nvoid main() {\n    gl_FragColor = vec4(0.0, 0.0, 1.0, 1.0); // \u{e9}\u{1f600}\n}\n";
    write(&mut browser, text);
    settled(&mut browser);
    browser.key("s", CONTROL);
    browser.wait(
        "location.hash.startsWith('#s=') && document.getElementById('status').className === 'good'",
    );
    let hash = browser.text("location.hash");
    assert!(hash.len() < 1200, "{}", hash.len());
    let picture = pixels(&mut browser);
    assert!(picture.1.chunks_exact(3).all(|pixel| pixel == [0, 0, 255]));
    content(&mut browser);
    let mut other = playground(1280, 800, &hash);
    assert!(pixels(&mut other) == picture);
    let shown = other.text("document.querySelector('.cm-content').textContent");
    assert!(shown.contains("\u{e9}\u{1f600}"), "{shown}");
    content(&mut other);
}

/// The contents of an address are not trusted: not its size, not its types, not its names.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn an_address_without_a_document_says_so_and_one_with_odd_names_opens() {
    let fragment = |json: &[u8]| {
        let mut packed = Vec::new();
        let mut deflated = DeflateEncoder::new(json, Compression::best());
        deflated.read_to_end(&mut packed).expect("bytes");
        format!("#s={}", URL_SAFE_NO_PAD.encode(packed))
    };
    let of = |source: &str| format!("{{\"m\":\"a.dpp\",\"f\":{{\"a.dpp\":\"{source}\"}}}}");
    let long = |bytes: usize| fragment(of(&" ".repeat(bytes)).as_bytes());
    let whole = fragment(of("    mov o0, {0, 1, 0, 1}").as_bytes());
    let many: Vec<String> = (0..300).map(|n| format!("\"a.dpp{n}\":\"\"")).collect();
    let many = format!("{{\"m\":\"a.dpp0\",\"f\":{{{}}}}}", many.join(","));
    let (cut, large) = ("it was cut off or changed", "it has more than 1 MiB of source");
    let mut wrong = vec![
        (long(50_000_000), large),
        (long(400_000_000), large),
        (long((1 << 20) + 1), large),
        (format!("#s={}", "A".repeat((2 << 20) + 1)), large),
        (fragment(many.as_bytes()), "it has more than 256 files"),
        (whole[..whole.len() - 4].to_string(), cut),
        (fragment(b"\xff\xfe"), cut),
        ("#s=".to_string(), cut),
        ("#s=%%%".to_string(), cut),
        ("#e=nothing".to_string(), "it names no example"),
        ("#e=toString".to_string(), "it names no example"),
        ("#e=%E0%A4%A".to_string(), "it names no example"),
    ];
    for json in [
        "null",
        "1",
        "\"x\"",
        "[]",
        "{}",
        "{",
        "[[[[]]]]",
        r#"{"m":"toString","f":{}}"#,
        r#"{"m":"__proto__","f":{}}"#,
        r#"{"m":0,"f":{"0":"x"}}"#,
        r#"{"m":"0","f":["x"]}"#,
        r#"{"m":"a","f":null}"#,
        r#"{"m":"a","f":{"a":1}}"#,
        r#"{"m":"a","f":{"a":"x","b":{}}}"#,
        r#"{"m":"a","f":{"a":"x"},"e":5}"#,
        r#"{"m":"a","f":{"a":"x"},"p":[]}"#,
        r#"{"m":"a","f":{"a":"x"},"p":null}"#,
    ] {
        wrong.push((fragment(json.as_bytes()), cut));
    }
    // Another document is opened in between: the page goes on.
    let mut browser = playground(1280, 800, &whole);
    let go = |browser: &mut Browser, fragment: &str| {
        let version = browser.text("document.body.dataset.version");
        browser.evaluate(&format!("location.hash = {fragment:?}; 0"));
        browser.wait(&format!("document.body.dataset.version !== '{version}'"));
        settled(browser);
    };
    for (fragment, why) in wrong {
        let shown = &fragment[..fragment.len().min(80)];
        go(&mut browser, &fragment);
        let said = "document.getElementById('status').textContent";
        browser.wait(&format!("{said}.startsWith('the address')"));
        let expected = format!("the address holds no document: {why}");
        assert_eq!(status(&mut browser), expected, "{shown}");
    }
    content(&mut browser);
    let green = "    mov o0, {0, 1, 0, 1}";
    for json in [
        of(green),
        format!(r#"{{"m":"__proto__","f":{{"__proto__":"{green}"}}}}"#),
        format!(r#"{{"m":"a.constructor","f":{{"a.constructor":"{green}","toString":"x"}}}}"#),
        format!(r#"{{"m":"a","f":{{"a":"{green}"}},"p":"constructor","e":"toString"}}"#),
    ] {
        go(&mut browser, &fragment(json.as_bytes()));
        browser.wait("document.getElementById('status').className === 'good'");
        assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]), "{json}");
    }
    // Text is kept whatever its file is called.
    go(
        &mut browser,
        &fragment(format!(r#"{{"m":"__proto__","f":{{"__proto__":"{green}"}}}}"#).as_bytes()),
    );
    write(&mut browser, "    mov o0, {0, 0, 1, 1}\n");
    settled(&mut browser);
    browser.wait("location.hash.startsWith('#s=')");
    let hash = browser.text("location.hash");
    go(&mut browser, &whole);
    go(&mut browser, &hash);
    assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 0, 255]));
    content(&mut browser);
}

#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn text_in_the_page_that_became_html_does_nothing() {
    let page = std::fs::read_to_string(file()).expect("a page");
    let expected = [
        ("default-src", "'none'"),
        ("script-src", "'wasm-unsafe-eval'"),
        ("worker-src", "blob:"),
        ("style-src", "'unsafe-inline'"),
        ("img-src", "data:"),
        ("form-action", "'none'"),
        ("base-uri", "'none'"),
    ];
    let policy = policy(&page).into_iter().map(|(name, mut sources)| {
        // The page's own script, and that of the page in the frame.
        let all = sources.len();
        sources.retain(|source| !source.starts_with("'sha256-"));
        assert_eq!(all - sources.len(), if name == "script-src" { 2 } else { 0 }, "{name}");
        (name, sources.join(" "))
    });
    let policy: Vec<_> = policy.collect();
    let policy: Vec<_> = policy.iter().map(|(name, sources)| (&**name, &**sources)).collect();
    assert_eq!(policy, expected);
    let mut browser = Browser::start(1280, 800);
    let _folder = browser.open_text(&attacked(&page));
    settled(&mut browser);
    withstands(&mut browser, "playground");
}
