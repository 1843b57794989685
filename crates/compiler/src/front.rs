//! Sources to naga's modules. naga's parser of WGSL is recursive and may panic: it runs on a thread of its own.

use crate::deep::{self, Failure};
use crate::guard;
use ctm_base::panics::{self, Panic};
use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::{Diagnostic, Span};
use ctm_glsl::Checked;
use naga::Module;

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

/// A source as a module. The spans of the module are places in the source.
pub enum Front {
    /// GLSL.
    Glsl(Box<Checked>),
    /// WGSL.
    Wgsl(Box<Module>),
}

impl Front {
    /// The module.
    pub fn module(&self) -> &Module {
        match self {
            Front::Glsl(checked) => &checked.module,
            Front::Wgsl(module) => module,
        }
    }

    /// GLSL's interface and samplers; `None` for WGSL, whose module has them.
    pub fn glsl(&self) -> Option<&Checked> {
        match self {
            Front::Glsl(checked) => Some(checked),
            Front::Wgsl(_) => None,
        }
    }
}

/// GLSL.
pub fn glsl(source: &str) -> Result<Front, Vec<Diagnostic>> {
    ctm_glsl::module(source).map(|checked| Front::Glsl(Box::new(checked)))
}

/// WGSL.
pub fn wgsl(source: &str) -> Result<Front, Vec<Diagnostic>> {
    guard::text(source).map_err(|error| vec![error])?;
    let module = naga::front::wgsl::parse_str(source).map_err(|error| {
        let span = error.labels().next().and_then(|(span, _)| span.to_range()).unwrap_or_default();
        vec![Span::new(span.start, span.end).error(error.message())]
    })?;
    Ok(Front::Wgsl(Box::new(module)))
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
