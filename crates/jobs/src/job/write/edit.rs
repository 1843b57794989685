//! Changes of a job file's text: one value is replaced, added or taken out, and everything else stays as it was written.

use super::key_of;
use toml_spanner::{Arena, Item, Kind, Span, Table, TableStyle};

/// A step on the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The value of a key.
    Key(&'a str),
    /// An element of an array of tables.
    Element(usize),
}

/// Where a way ends in a text.
enum Found {
    /// At a value; with it the key before it, and whether both are in a table in one line.
    Value { key: Option<Span>, value: Span, inline: bool },
    /// Before a key that is missing.
    Missing(Insertion),
}

/// Where a key can be added.
struct Insertion {
    /// The offset in the text.
    at: usize,
    /// The texts before the key and after its value.
    around: (&'static str, &'static str),
    /// The number of steps that lead there.
    steps: usize,
}

/// A text with a value at the end of a way: the old one is replaced, or the key is added.
///
/// # Errors
/// The text is not TOML, or the way leads through something that is no table.
///
/// # Examples
/// ```
/// use ctm_jobs::job::write::edit::{Step, set};
///
/// let text = "[uniforms]\ntime = 1 # seconds\n";
/// let way = [Step::Key("uniforms"), Step::Key("time")];
/// assert_eq!(set(text, &way, "2.5")?, "[uniforms]\ntime = 2.5 # seconds\n");
/// let way = [Step::Key("uniforms"), Step::Key("size")];
/// assert_eq!(set(text, &way, "3")?, "[uniforms]\nsize = 3\ntime = 1 # seconds\n");
/// # Ok::<(), String>(())
/// ```
pub fn set(text: &str, way: &[Step<'_>], value: &str) -> Result<String, String> {
    let (range, new) = match find(text, way)? {
        Found::Value { value: span, .. } => (span.range(), value.to_string()),
        Found::Missing(Insertion { at, around: (before, after), steps }) => {
            let keys = way[steps..].iter().map(|step| match step {
                Step::Key(name) => Ok(key_of(name)),
                Step::Element(n) => Err(format!("there is no element {n}")),
            });
            let keys = keys.collect::<Result<Vec<_>, _>>()?;
            let line = match &keys[..] {
                // A new table is at the end.
                [table, rest @ ..] if steps == 0 && !rest.is_empty() => {
                    let start = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                    let line = format!("{start}\n[{table}]\n{} = {value}\n", rest.join("."));
                    return Ok(format!("{text}{line}"));
                }
                keys => format!("{before}{} = {value}{after}", keys.join(".")),
            };
            (at..at, line)
        }
    };
    Ok(replaced(text, range, &new))
}

/// A text without a key and its value; the same text if it has none.
///
/// # Errors
/// As [`set`].
pub fn remove(text: &str, way: &[Step<'_>]) -> Result<String, String> {
    let Found::Value { key: Some(key), value, inline } = find(text, way)? else {
        return Ok(text.to_string());
    };
    let (mut start, mut end) = (key.range().start, value.range().end);
    if inline {
        let rest = &text[end..];
        let spaces = rest.len() - rest.trim_start().len();
        if rest[spaces..].starts_with(',') {
            end += spaces + 1;
            end += text[end..].len() - text[end..].trim_start().len();
        } else {
            start = text[..start].trim_end().trim_end_matches(',').len();
        }
    } else {
        start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        end = line_end(text, end);
    }
    Ok(replaced(text, start..end, ""))
}

/// The value at the end of a way, as it is written; `None`: there is none.
pub fn get<'t>(text: &'t str, way: &[Step<'_>]) -> Option<&'t str> {
    match find(text, way) {
        Ok(Found::Value { value, .. }) => text.get(value.range()),
        Ok(Found::Missing(_)) | Err(_) => None,
    }
}

fn replaced(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    let mut text = text.to_string();
    text.replace_range(range, new);
    text
}

/// The offset after the end of the line that has an offset.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

/// Where a key can be added to a table.
fn insertion(text: &str, table: &Table<'_>, steps: usize) -> Option<Insertion> {
    let span = table.span();
    match table.style() {
        TableStyle::Header => {
            let end = span.extract_header_span(text.as_bytes()).range().end;
            let at = line_end(text, end);
            // A header in the last line may have no end of line.
            let before = if text[..at].ends_with('\n') { "" } else { "\n" };
            Some(Insertion { at, around: (before, "\n"), steps })
        }
        TableStyle::Inline => {
            let close = span.range().end.checked_sub(1)?;
            let at = text[..close].trim_end().len();
            let around = if table.is_empty() { (" ", " ") } else { (", ", "") };
            Some(Insertion { at, around, steps })
        }
        TableStyle::Dotted | TableStyle::Implicit => None,
    }
}

fn find(text: &str, way: &[Step<'_>]) -> Result<Found, String> {
    let arena = Arena::new();
    let tree = toml_spanner::parse(text, &arena).map_err(|error| error.to_string())?;
    let root = tree.table();
    let mut here: &Item<'_> = root.as_item();
    let mut key = None;
    let mut inline = false;
    let mut missing = Insertion { at: 0, around: ("", "\n"), steps: 0 };
    for (n, step) in way.iter().enumerate() {
        let next = match step {
            Step::Key(name) => {
                let no_table = || format!("`{name}` is not in a table");
                let table = here.as_table().ok_or_else(no_table)?;
                if n > 0
                    && let Some(place) = insertion(text, table, n)
                {
                    missing = place;
                }
                inline = n > 0 && table.style() == TableStyle::Inline;
                table.get_key_value(name).map(|(found, item)| {
                    key = Some(found.span);
                    item
                })
            }
            Step::Element(n) => {
                key = None;
                here.as_array().and_then(|array| array.get(*n))
            }
        };
        match next {
            Some(next) => here = next,
            None => return Ok(Found::Missing(missing)),
        }
    }
    if here.kind() == Kind::Table
        && here.as_table().is_some_and(|one| one.style() != TableStyle::Inline)
    {
        return Err("it is a table of several lines".to_string());
    }
    Ok(Found::Value { key, value: here.span(), inline })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Element, Key};

    const JOB: &str = "version = 1 # the form\n\n[uniforms]\n\"a.b\" = [1, 2]   # kept\n\n[[pass]]\nrepeat = 2\n\
                       program = { file = \"p.dpp\" }\n\n[[pass]]\ninputs = { 0 = \"a\", 1 = \"b\" }\n\
                       constants.float.x = 1\n\n[pass.domain]\ni0 = 0";

    /// Sets, and looks whether the other lines are the same.
    fn changed(way: &[Step<'_>], value: &str) -> String {
        let new = set(JOB, way, value).expect("a text");
        let arena = Arena::new();
        assert!(toml_spanner::parse(&new, &arena).is_ok(), "{new}");
        assert_eq!(get(&new, way), Some(value), "{new}");
        new
    }

    #[test]
    fn a_value_is_replaced_where_it_is() {
        let new = changed(&[Key("uniforms"), Key("a.b")], "[3, 4]");
        assert_eq!(new, JOB.replace("[1, 2]", "[3, 4]"));
        let new = changed(&[Key("pass"), Element(0), Key("program"), Key("file")], "\"q\"");
        assert_eq!(new, JOB.replace("\"p.dpp\"", "\"q\""));
        let new =
            changed(&[Key("pass"), Element(1), Key("constants"), Key("float"), Key("x")], "5");
        assert_eq!(new, JOB.replace("x = 1", "x = 5"));
        let new = changed(&[Key("pass"), Element(1), Key("domain"), Key("i0")], "7");
        assert_eq!(new, JOB.replace("i0 = 0", "i0 = 7"));
    }

    #[test]
    fn a_key_is_added_to_its_table() {
        let new = changed(&[Key("uniforms"), Key("c d")], "3");
        assert_eq!(new, JOB.replace("[uniforms]\n", "[uniforms]\n\"c d\" = 3\n"));
        let new = changed(&[Key("pass"), Element(1), Key("inputs"), Key("2")], "\"c\"");
        assert_eq!(new, JOB.replace("1 = \"b\" }", "1 = \"b\", 2 = \"c\" }"));
        let new = changed(&[Key("pass"), Element(0), Key("uniforms"), Key("t")], "1");
        assert_eq!(new, JOB.replace("[[pass]]\nrepeat", "[[pass]]\nuniforms.t = 1\nrepeat"));
        let new =
            changed(&[Key("pass"), Element(1), Key("constants"), Key("float"), Key("y")], "2");
        assert_eq!(new, JOB.replace("[[pass]]\ninputs", "[[pass]]\nconstants.float.y = 2\ninputs"));
        let new = changed(&[Key("pass"), Element(1), Key("domain"), Key("j0")], "1");
        assert_eq!(new, JOB.replace("[pass.domain]\n", "[pass.domain]\nj0 = 1\n"));
        let new = changed(&[Key("limits"), Key("instructions")], "9");
        assert_eq!(new, format!("{JOB}\n\n[limits]\ninstructions = 9\n"));
        let new = changed(&[Key("about")], "\"x\"");
        assert_eq!(new, format!("about = \"x\"\n{JOB}"));
        assert_eq!(set("[a]", &[Key("a"), Key("b")], "1").as_deref(), Ok("[a]\nb = 1\n"));
        assert_eq!(set("a = {}", &[Key("a"), Key("b")], "1").as_deref(), Ok("a = { b = 1 }"));
    }

    #[test]
    fn a_key_is_taken_out_with_its_line() {
        let without = |way: &[Step<'_>]| remove(JOB, way).expect("a text");
        let removed = without(&[Key("pass"), Element(0), Key("repeat")]);
        assert_eq!(removed, JOB.replace("repeat = 2\n", ""));
        let removed = without(&[Key("pass"), Element(1), Key("inputs"), Key("0")]);
        assert_eq!(removed, JOB.replace("0 = \"a\", ", ""));
        let removed = without(&[Key("pass"), Element(1), Key("inputs"), Key("1")]);
        assert_eq!(removed, JOB.replace(", 1 = \"b\"", ""));
        assert_eq!(without(&[Key("pass"), Element(7), Key("x")]), JOB);
        assert!(set("a = 1", &[Key("a"), Key("b")], "1").is_err());
        assert!(set(JOB, &[Key("pass"), Element(7), Key("b")], "1").is_err());
        assert!(set("a = ", &[Key("a")], "1").is_err());
    }
}
