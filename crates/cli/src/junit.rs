//! Reports in the format of JUnit.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use std::io;
use std::path::{Component, Path};
use std::time::Duration;

/// A case of a report.
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its class, as [`class`] makes it.
    pub class: String,
    /// Its duration.
    pub time: Duration,
    /// Its problem, if it did not pass.
    pub problem: Option<Problem>,
}

/// The problem of a case that did not pass.
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// A word for the reason.
    pub reason: &'static str,
    /// The description.
    pub text: String,
}

/// The kind of a case that did not pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It was expected to fail.
    Skipped,
    /// It failed.
    Failure,
    /// It could not be run.
    Error,
}

/// The report of a suite.
pub fn report(suite: &str, cases: &[Case]) -> io::Result<Vec<u8>> {
    // XML has no control characters but tab and the ends of lines.
    let plain = |text: &str| text.replace(|c: char| c.is_control() && !"\t\r\n".contains(c), "?");
    let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
    let number = |kind: Kind| {
        let of = |case: &&Case| case.problem.as_ref().is_some_and(|problem| problem.kind == kind);
        cases.iter().filter(of).count().to_string()
    };
    let sums = [
        ("name", suite.to_string()),
        ("tests", cases.len().to_string()),
        ("skipped", number(Kind::Skipped)),
        ("failures", number(Kind::Failure)),
        ("errors", number(Kind::Error)),
        ("time", seconds(cases.iter().map(|case| case.time).sum())),
    ];
    let sums = sums.each_ref().map(|(key, text)| (*key, text.as_str()));
    let one = |xml: &mut Writer<Vec<u8>>, case: &Case| {
        let (name, class, time) = (plain(&case.name), plain(&case.class), seconds(case.time));
        let attributes = [("name", name.as_str()), ("classname", &class), ("time", &time)];
        let element = xml.create_element("testcase").with_attributes(attributes);
        let Some(problem) = &case.problem else { return element.write_empty().map(drop) };
        let what = match problem.kind {
            Kind::Skipped => "skipped",
            Kind::Failure => "failure",
            Kind::Error => "error",
        };
        let text = plain(&problem.text);
        let why = [("message", text.as_str()), ("type", problem.reason)];
        element
            .write_inner_content(|xml| {
                xml.create_element(what).with_attributes(why).write_empty().map(drop)
            })
            .map(drop)
    };
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 4);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuites").with_attributes(sums).write_inner_content(|xml| {
        let suite = xml.create_element("testsuite").with_attributes(sums);
        suite.write_inner_content(|xml| cases.iter().try_for_each(|case| one(xml, case)))?;
        Ok(())
    })?;
    let mut text = xml.into_inner();
    text.push(b'\n');
    Ok(text)
}

/// The class name of a file: its folder, with dots between the parts, or `otherwise`.
pub fn class(file: &Path, otherwise: &str) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    let parts = folder.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { otherwise.into() } else { parts.join(".") }
}
