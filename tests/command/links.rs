//! The links and pictures of the pages lead to files and headings that are there.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages: the README, those of the documentation, and those beside examples.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = Vec::new();
    for folder in
        ["", "docs", "kernels", "python", "benches", "examples/card", "tests/vectors", "tests/mesa"]
    {
        let entries = fs::read_dir(root.join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    pages
}

/// The lines outside blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of a page's headings, as code hosts name them.
fn anchors(page: &Path) -> HashSet<String> {
    let text = fs::read_to_string(page).expect("a page");
    let headings = prose(&text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let (mut count, mut broken) = (0, String::new());
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for line in prose(&text) {
            let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let pictures = line.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for link in links.chain(pictures).filter(|link| !link.contains("://")) {
                count += 1;
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = match path {
                    "" => page.clone(),
                    _ => page.parent().expect("a folder").join(path),
                };
                let is_page = target.extension().is_some_and(|ending| ending == "md");
                if !target.exists()
                    || is_page && !anchor.is_empty() && !anchors(&target).contains(anchor)
                {
                    broken += &format!("{}: {link}\n", page.display());
                }
            }
        }
    }
    assert_eq!(broken, "");
    assert!(count > 250, "{count}");
}
