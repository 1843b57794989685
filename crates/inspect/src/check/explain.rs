//! The page of each code: docs/checks.md, cut at its headings.

use super::code::Code;

const PAGES: &str = include_str!("../../../../docs/checks.md");

/// The page of a code, in Markdown, without a line end at its end.
pub fn page(code: Code) -> &'static str {
    let heading = format!("## {code}\n");
    let start = PAGES.find(&format!("\n{heading}")).map(|at| at + 1);
    let page = start.map_or("", |start| &PAGES[start..]);
    let end = page[page.len().min(1)..].find("\n## ").map_or(page.len(), |at| at + 1);
    page[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_all_its_parts() {
        for code in Code::ALL {
            let page = page(code);
            assert!(page.starts_with(&format!("## {code}\n")), "{code}");
            for part in ["```", "**What counts.**", "**What it cannot see.**"] {
                assert!(page.contains(part), "{code}: {part}");
            }
            assert_eq!(page.matches("\n## ").count(), 0, "{code}");
        }
    }

    #[test]
    fn every_page_has_a_code_in_order() {
        let headings = PAGES.lines().filter_map(|line| line.strip_prefix("## "));
        let codes: Vec<&str> = headings.filter(|name| !name.contains(' ')).collect();
        assert_eq!(codes, Code::ALL.map(Code::name));
    }
}
