//! The frame of the pages that the tools write, and its policy: docs/browser.md explains the policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The style of pages of text and tables, in light and in dark.
pub const STYLE: &str = include_str!("page.css");

/// A page: its title, its styles, its script (or ""), and its body.
///
/// The page needs no network. Its policy lets the browser load nothing, send no form, and use these styles and
/// this script alone, even if text from a file were taken for HTML.
pub fn page(title: &str, styles: &[&str], script: &str, body: Markup) -> String {
    let styles = styles.concat();
    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; form-action 'none'; base-uri 'none'",
        source(&styles),
        if script.is_empty() { "'none'".to_string() } else { source(script) },
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(&styles)) }
            }
            body {
                (body)
                @if !script.is_empty() { script type="module" { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}

/// An element's text as a source of a policy.
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}
