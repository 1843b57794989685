//! The frame of the pages that the tools write. A page needs no network, and may load nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of pages of text and tables, in light and in dark.
pub const STYLE: &str = include_str!("page.css");

/// Whether a page has scripts of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripts {
    /// It runs none.
    None,
    /// Those in the page.
    Own,
}

/// A page: its title, its styles, and what is in its body.
pub fn page(title: &str, styles: &[&str], scripts: Scripts, body: Markup) -> String {
    // The browser refuses to load anything, even if text from a file were taken for HTML.
    let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
    let policy = match scripts {
        Scripts::None => policy.to_string(),
        Scripts::Own => format!("{policy}; script-src 'unsafe-inline'"),
    };
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
                @for style in styles { style { (PreEscaped(style)) } }
            }
            body { (body) }
        }
    };
    page.into_string()
}
