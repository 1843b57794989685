//! Comments in the source that allow findings: `; allow(unused-result)` on the line of the
//! instruction, or alone on a line before it with nothing but comments between. Before the first statement, alone on its line, it is
//! about the program as a whole.

use super::code::Code;
use super::finding::Finding;
use ctm_base::text::Mark;
use ctm_lang::program::{Location, Program};

/// Whether a comment allows a finding.
pub fn allows(program: &Program, finding: &Finding) -> bool {
    let image = program.image();
    let place = match (finding.pc, finding.mark) {
        (Some(pc), _) => image.location(pc),
        (None, Some(Mark { line, column, .. })) => {
            let file = program.source().and_then(|map| map.files.first());
            file.map(|file| Location { file, line, column })
        }
        (None, None) => {
            let Some(map) = program.source() else { return false };
            let all = map.lines.iter().filter_map(|line| map.location(line.slot));
            let first = all.min_by_key(|location| location.line);
            let allows = |first| lines_before(&first).any(|line| alone(line, finding.code));
            return first.is_some_and(allows);
        }
    };
    let Some(location) = place else { return false };
    let own = location.file.text().and_then(|text| text.line(location.line));
    let mut comments = lines_before(&location).take_while(|line| is_comment(line));
    comments.any(|line| alone(line, finding.code))
        || own.and_then(comment).is_some_and(|c| names(c, finding.code))
}

/// The lines before a statement, the nearest first.
fn lines_before<'a>(location: &Location<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let text = location.file.text();
    (1..location.line).rev().map_while(move |line| text?.line(line))
}

/// The comment of a line.
fn comment(line: &str) -> Option<&str> {
    line.find([';', '#']).or_else(|| line.find("//")).map(|at| &line[at..])
}

/// Whether a line has nothing but a comment.
fn is_comment(line: &str) -> bool {
    comment(line.trim()).is_some_and(|c| c.len() == line.trim().len())
}

/// Whether a line has nothing but a comment that allows a code.
fn alone(line: &str, code: Code) -> bool {
    is_comment(line) && names(line, code)
}

/// Whether a comment allows a code: `allow(a, b)`.
fn names(comment: &str, code: Code) -> bool {
    allowed(comment).any(|name| name == code.name())
}

/// The codes that a comment allows.
fn allowed(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split("allow(")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .flat_map(|(list, _)| list.split(',').map(str::trim))
}

/// Names in `allow(...)` of a program's sources that are no codes: line, name.
pub fn unknown(program: &Program) -> Vec<(String, usize, String)> {
    let files = program.source().map_or(&[][..], |map| &map.files);
    let mut found = Vec::new();
    for file in files {
        let text = file.text().map_or("", |text| text.as_str());
        for (n, line) in text.lines().enumerate() {
            for name in comment(line).into_iter().flat_map(allowed) {
                if Code::from_name(name).is_none() {
                    found.push((file.path.clone(), n + 1, name.to_string()));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_codes() {
        assert!(names("; allow(bad-end)", Code::BadEnd));
        assert!(names("# so it is; allow(unreachable, bad-end)", Code::BadEnd));
        assert!(!names("; allow(bad-end", Code::BadEnd));
        assert!(!names("; allow(unreachable)", Code::BadEnd));
        assert!(alone("   ; allow(bad-end)", Code::BadEnd));
        assert!(!alone("mov r0, r1 ; allow(bad-end)", Code::BadEnd));
        assert_eq!(comment("a // b"), Some("// b"));
    }
}
