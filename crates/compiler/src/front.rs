//! Sources to naga's modules. naga's parser is recursive and may panic: it runs on a thread of its own.

use crate::deep::{self, Failure};
use crate::glsl::{self, Declared, Rewritten};
use ctm_base::panics::{self, Panic};
use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::{Diagnostic, Span};
use naga::Module;
use naga::front::glsl::ParseErrors;
use std::collections::BTreeMap;
use std::error::Error;

/// The stack of the thread that compiles.
const STACK: usize = 256 << 20;

/// Runs `work` on a thread with a large stack. The thread is abandoned when `stop` is requested; the stop that `work`
/// receives is then requested, too. A panic is an error, and prints nothing.
pub fn apart<T: Send + 'static>(
    stop: &Stop,
    work: impl FnOnce(&Stop) -> Result<T, Vec<Diagnostic>> + Send + 'static,
) -> Result<Result<T, Vec<Diagnostic>>, Stopped> {
    let work = move |left: &Stop| {
        let done = panics::catch(|| work(left));
        done.unwrap_or_else(|panic| Err(vec![panicked(Span::default(), &panic)]))
    };
    match deep::on_stack(STACK, stop, work) {
        Ok(done) => Ok(done),
        Err(Failure::Stopped(why)) => Err(why),
        Err(Failure::Thread(error)) => {
            Ok(Err(vec![Span::default().error(format!("no thread to compile in: {error}"))]))
        }
    }
}

/// The error of a panic.
fn panicked(span: Span, panic: &Panic) -> Diagnostic {
    let place = &panic.place;
    let help = format!("this is a mistake of the compiler, not of the source: {place}");
    span.error("the front end failed on this source").help(help)
}

/// A source as a module.
pub struct Front {
    /// The module.
    pub module: Module,
    /// GLSL's text for naga; `None` for WGSL.
    rewritten: Option<Rewritten>,
}

impl Front {
    /// The interface variables; `None` for WGSL, whose module has them.
    pub fn declared(&self) -> Option<&BTreeMap<String, Declared>> {
        self.rewritten.as_ref().map(|rewritten| &rewritten.declared)
    }

    /// The place in the source of an offset in the text that naga read.
    pub fn origin(&self, offset: usize) -> Span {
        match &self.rewritten {
            Some(rewritten) => rewritten.origin(offset),
            None => Span::new(offset, offset + 1),
        }
    }
}

/// The module of a text, or naga's errors; an error outside is a panic.
fn parse(text: &str) -> Result<Result<Module, ParseErrors>, Panic> {
    let options = naga::front::glsl::Options::from(naga::ShaderStage::Fragment);
    panics::catch(|| naga::front::glsl::Frontend::default().parse(&options, text))
}

/// Errors of naga's, in words and with places of the source.
fn located(rewritten: &Rewritten, errors: &ParseErrors) -> Vec<Diagnostic> {
    let error = |error: &naga::front::glsl::Error| {
        let mut text = message(&error.kind);
        let span = match error.meta.to_range() {
            Some(range) => {
                if rewritten.made(range.start)
                    && let Some((expected, _)) = text.split_once(", found ")
                {
                    text = format!("{expected} after this");
                }
                rewritten.origin(range.start)
            }
            // naga gives no place.
            None => rewritten.place(|start| {
                let same = |of: &naga::front::glsl::Error| {
                    of.meta.to_range().is_none() && message(&of.kind) == text
                };
                matches!(parse(start), Ok(Err(errors)) if errors.errors.iter().any(same))
            }),
        };
        let name = text.strip_prefix("Unknown function '").and_then(|rest| rest.strip_suffix('\''));
        match name.and_then(|name| rewritten.unknown_function(name)) {
            Some((text, help)) => span.error(text).help(help),
            None => span.error(text),
        }
    };
    errors.errors.iter().map(error).collect()
}

/// GLSL.
pub fn glsl(source: &str) -> Result<Front, Vec<Diagnostic>> {
    let rewritten = glsl::rewrite(source).map_err(|error| vec![error])?;
    let module = match parse(&rewritten.text) {
        Ok(Ok(module)) => module,
        Ok(Err(errors)) => return Err(located(&rewritten, &errors)),
        Err(panic) => {
            let span = rewritten.place(|start| parse(start).is_err());
            return Err(vec![panicked(span, &panic)]);
        }
    };
    Ok(Front { module, rewritten: Some(rewritten) })
}

/// WGSL.
pub fn wgsl(source: &str) -> Result<Front, Vec<Diagnostic>> {
    glsl::guard::text(source).map_err(|error| vec![error])?;
    let module = naga::front::wgsl::parse_str(source).map_err(|error| {
        let span = error.labels().next().and_then(|(span, _)| span.to_range()).unwrap_or_default();
        vec![Span::new(span.start, span.end).error(error.message())]
    })?;
    Ok(Front { module, rewritten: None })
}

/// naga's names of signs.
const SIGNS: [(&str, &str); 10] = [
    ("LeftParen", "`(`"),
    ("RightParen", "`)`"),
    ("LeftBrace", "`{`"),
    ("RightBrace", "`}`"),
    ("LeftBracket", "`[`"),
    ("RightBracket", "`]`"),
    ("Semicolon", "`;`"),
    ("Comma", "`,`"),
    ("Colon", "`:`"),
    ("Assign", "`=`"),
];

/// An error of naga's, without the names that the rewriting made and without naga's own structures.
fn message(error: &(impl Error + ?Sized)) -> String {
    let text = error.to_string();
    if text.contains("HirExpr") {
        return "this cannot be assigned to".to_string();
    }
    if let Some(why) = text.strip_prefix("Can't resolve type: ") {
        let name =
            why.strip_prefix("BuiltinArgumentsInvalid(\"").map(|rest| rest.trim_end_matches("\")"));
        return match name {
            Some(name) => format!("`{}` does not take these arguments", name.to_lowercase()),
            None => "the types of these operands do not fit".to_string(),
        };
    }
    let text = text.replace("ctm_", "");
    let plain = |word: &str| {
        let (name, comma) = word.strip_suffix(',').map_or((word, ""), |name| (name, ","));
        let sign = SIGNS.iter().find(|(known, _)| *known == name);
        sign.map_or(word.to_string(), |(_, sign)| format!("{sign}{comma}"))
    };
    let words: Vec<String> = text.split(' ').map(plain).collect();
    words.join(" ").trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::{Stop, apart};
    use ctm_base::text::TextErrors;

    #[test]
    fn a_panic_of_the_parser_is_an_error() {
        let panics = apart::<()>(Stop::never(), |_| panic!("a parser's mistake"));
        let failed = TextErrors::of("", "source", |_| panics.expect("not stopped"));
        let error = failed.expect_err("it panics");
        assert_eq!(error.errors()[0].message, "the front end failed on this source");
    }
}
