//! The preprocessor: directives and macros, each with its place, within a budget.

mod condition;
mod directives;
mod expand;
mod extensions;
mod macros;
mod versions;

use crate::builtins::COMPATIBILITY;
use crate::found::Found;
use crate::lexer::{Kind, Spliced, Token, tokens};
use crate::version::{Extensions, Version};
use ctm_base::text::{Diagnostic, Span};
use macros::Macros;

/// The name for the budget.
const PART: &str = "preprocess";

/// Work of a token of the source.
const TOKEN: usize = 10;

/// Work of a token that a macro gives, with the memory that it takes.
const MADE: usize = 100;

/// Deepest nesting of conditions.
const MAX_CONDITIONS: usize = 256;

/// The text of a program.
pub struct Preprocessed<'s> {
    /// Its tokens.
    pub tokens: Vec<Token<'s>>,
    /// The version, said or guessed.
    pub version: Version,
    /// The extensions that are on.
    pub extensions: Extensions,
    /// Whether the end is missing, after an error.
    pub cut: bool,
}

/// Runs the preprocessor.
pub fn preprocess<'s>(
    source: &str,
    spliced: &'s Spliced<'_>,
    found: &mut Found<'_>,
) -> Preprocessed<'s> {
    let all = tokens(spliced);
    let said = versions::said(&all);
    let version = said.map_or_else(|| versions::guess(&all), |(version, _)| version);
    let compatible = said.is_some_and(|(_, compatible)| compatible);
    let mut this = Preprocessor {
        macros: Macros::new(version, compatible),
        conditions: Vec::new(),
        version,
        extensions: Extensions(compatible.then_some(COMPATIBILITY).into_iter().collect()),
        found,
        lines: lines(source),
        blank: source.len() - source.trim_start_matches([' ', '\t', '\u{feff}']).len(),
        shift: 0,
        file: 0,
        text: false,
        directives: 0,
        cut: false,
    };
    let mut output = Vec::new();
    let mut rest = &all[..];
    while let Some(token) = rest.first() {
        let directive = token.first && token.is("#");
        let end = if directive {
            1 + rest[1..].iter().take_while(|token| !token.first).count()
        } else {
            rest.iter().take_while(|token| !(token.first && token.is("#"))).count()
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        if !this.found.spend(PART, TOKEN * part.len(), token.span) {
            break;
        }
        if directive {
            this.directive(part);
        } else if this.active() {
            this.text = true;
            this.expand_all(part, &mut output);
        }
    }
    if let Some(open) = this.conditions.last() {
        this.found.error(open.span.error("this condition has no `#endif`"));
        this.cut |= !open.active;
    }
    let unclosed = output.last().is_some_and(|token| token.kind == Kind::Comment);
    let cut = this.cut || unclosed;
    let extensions = this.extensions;
    for token in &output {
        strange(token, found);
    }
    output.retain(|token| {
        !matches!(token.kind, Kind::Unknown | Kind::Comment) && !token.text.starts_with('#')
    });
    let version = Version { toy: versions::toy(&output), ..version };
    Preprocessed { tokens: output, version, extensions, cut }
}

/// The error of a token that is not in the language.
fn strange(token: &Token<'_>, found: &mut Found<'_>) {
    match token.kind {
        Kind::Comment => {
            let start = Span::new(token.span.start, token.span.start + 2);
            found.error(start.error("this comment has no end").help("add `*/`"));
        }
        Kind::Unknown => {
            let character = token.text.chars().next().unwrap_or_default();
            let error = format!("the character {character:?} does not exist in the language");
            found.error(token.span.error(error));
        }
        Kind::Sign if token.text.starts_with('#') => {
            let error = token.span.error(format!("`{}` outside a directive", token.text));
            found.error(error.help("a directive is alone on its line; there are no strings"));
        }
        Kind::Sign | Kind::Word | Kind::Number => {}
    }
}

/// Where the lines of a source begin.
fn lines(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let newline = |at: &usize| match bytes.get(*at) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(newline).map(|at| at + 1)).collect()
}

/// An open condition.
struct Open {
    /// Whether its current part counts.
    active: bool,
    /// Whether one of its parts counted.
    done: bool,
    /// Whether `#else` was there.
    last: bool,
    /// The place of `#if`.
    span: Span,
}

struct Preprocessor<'f, 's, 'w> {
    macros: Macros<'s>,
    conditions: Vec<Open>,
    version: Version,
    extensions: Extensions,
    found: &'f mut Found<'w>,
    /// Where the lines of the source begin.
    lines: Vec<usize>,
    /// Where something other than spaces begins.
    blank: usize,
    /// The number that `#line` adds to that of a line.
    shift: i64,
    /// The number of the file by `#line`.
    file: i64,
    /// Whether something other than directives was there.
    text: bool,
    /// Directives until now.
    directives: usize,
    /// Whether the rest of the source is lost, after an error.
    cut: bool,
}

impl Preprocessor<'_, '_, '_> {
    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|open| open.active)
    }

    /// The line of a place, from 1, without `#line`.
    fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|start| *start <= span.start)
    }

    /// An error in every version, which sources without `#version` have nevertheless.
    fn lax(&mut self, error: Diagnostic) {
        if self.version.guessed { self.found.warning(error) } else { self.found.error(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::preprocess;
    use crate::found::Found;
    use crate::lexer::splice;
    use ctm_base::stop::Stop;
    use ctm_base::work::Work;

    /// The text after the preprocessor, and the errors with their lines.
    fn run(source: &str) -> (String, Vec<String>) {
        let work = Work::new(Stop::never());
        let mut found = Found::new(&work);
        let spliced = splice(source);
        let text = preprocess(source, &spliced, &mut found);
        let line = |at: usize| source[..at].matches('\n').count() + 1;
        let errors = found.errors.iter();
        let errors = errors.map(|error| format!("{}: {}", line(error.span.start), error.message));
        let tokens: Vec<&str> = text.tokens.iter().map(|token| &*token.text).collect();
        (tokens.join(" "), errors.collect())
    }

    /// The text of a source without errors.
    fn text(source: &str) -> String {
        let (text, errors) = run(source);
        assert_eq!(errors, [""; 0], "{source}");
        text
    }

    #[test]
    fn macros_are_replaced_as_in_c() {
        let define = "#version 330\n\
            #define f(a) a*g\n#define g(a) f(a)\n#define E1 E2\n#define E2 E1 + E2\n#define EMPTY\n\
            #define fn(a,b) [a|b]\n#define LP (\n#define NIL(x) x\n#define G_0(arg) NIL(G_1)(arg)\n\
            #define G_1(arg) NIL(arg)\n#define cat(a,b) a##b\n#define two(a) a a\n#define none() 7\n";
        for (source, expected) in [
            ("f(2)(9)", "2 * 9 * g"),
            ("E1 E2", "E1 + E2 E2 + E2"),
            ("fn EMPTY (1,2)", "fn ( 1 , 2 )"),
            ("fn((1,2),3)", "[ ( 1 , 2 ) | 3 ]"),
            ("fn(,)", "[ | ]"),
            ("fn LP 1, 2)", "fn ( 1 , 2 )"),
            ("G_0(42)", "42"),
            ("cat(G_,0)(7) cat(1,e5) cat(,x) cat(a,)", "7 1e5 x a"),
            ("two(two(two(q)))", "q q q q q q q q"),
            ("none() none ( ) none", "7 7 none"),
            ("two(__LINE__)\n__LINE__", "15 15 16"),
        ] {
            assert_eq!(text(&format!("{define}{source}")), expected, "{source}");
        }
    }

    #[test]
    fn conditions_choose_and_numbers_are_those_of_the_version() {
        for (source, expected) in [
            ("#define A(x) x + 1\n#if A(2) == 3 && defined A\nyes\n#else\nno\n#endif", "yes"),
            ("#define D defined(A)\n#define A\n#if D\nyes\n#endif", "yes"),
            ("#if 010 == 8 && 0x1F == 31\nyes\n#endif", "yes"),
            ("#if 0\n@ ' \"\n#elif 1\nyes\n#elif 1\nno\n#endif", "yes"),
            ("#if 0 && 1 / 0\n#else\nyes\n#endif", "yes"),
            ("__VERSION__", "110"),
            ("#version 300 es\n#if GL_ES && __VERSION__ == 300\nyes\n#endif", "yes"),
            ("#version 100\n#line 5\n__LINE__ __FILE__", "5 0"),
            ("#version 120\n#line 5\n__LINE__", "6"),
            ("#version 300 es\n#line 5 2\n__LINE__ __FILE__", "5 2"),
            ("#version 150\nGL_core_profile", "1"),
            ("#define A a /* one\ntwo */ b\nA", "a b"),
            ("#define A a\\\nb\nA", "ab"),
        ] {
            assert_eq!(text(source), expected, "{source}");
        }
    }

    #[test]
    fn wrong_directives_are_errors_at_their_places() {
        for (source, expected) in [
            ("\n#version 330", ""),
            ("int a;\n#version 330", "2: `#version` must be the first of the source"),
            ("#version 331", "1: `331` is not a version of the language"),
            ("#version 300", "1: version 300 is an OpenGL ES version"),
            ("#version 120 core", "1: version 120 has no profile `core`"),
            ("#version 330 es", "1: version 330 has no profile `es`"),
            ("#version 330 x y", "1: version 330 has no profile `x`"),
            ("#version 300 es\n#if A\n#endif", "2: `A` is not a macro"),
            ("#version 300 es\n#if 1 || A\n#endif", ""),
            ("#version 330\n#if A\n#endif", ""),
            ("#if 1\n#else\n#else\n#endif", "3: a second `#else` for the condition on line 1"),
            ("#if 1\n#else\n#elif 1\n#endif", "3: `#elif` after `#else`"),
            ("#if 1\n", "1: this condition has no `#endif`"),
            ("#endif", "1: `#endif` without `#if`"),
            ("#version 330\n#if 1\n#endif x", "3: unexpected text after `#endif`"),
            ("#if\n#endif", "1: expected a condition"),
            ("#if 1 2\n#endif", "1: expected one condition"),
            ("#if 1 +\n#endif", "1: this expression is incomplete"),
            ("#if 1 / 0\n#endif", "1: division by zero in a condition"),
            ("#if 1.0\n#endif", "1: `1.0` is no whole number"),
            ("#define A 1\n#define A  1\n", ""),
            ("#define A 1\n#define A 2", "2: the macro `A` is defined differently on line 1"),
            ("#define A(a,a)", "1: the macro has two parameters `a`"),
            ("#define A(a", "1: expected `,` or `)` after a parameter of the macro"),
            ("#define GL_A", "1: macros whose names begin with `GL_` cannot be defined"),
            ("#define defined", "1: `defined` cannot be defined"),
            ("#undef __LINE__", "1: `__LINE__` is a macro of the language, it cannot be undefined"),
            ("#version 100\n#define a__b", ""),
            ("#version 130\n#define a__b", ""),
            ("#version 300 es\n#define A a##b", "2: GLSL ES 3.00 has no `##`"),
            ("#version 130\n#define A ## b", "2: `##` joins two tokens, here one is missing"),
            ("#define A(x) x\nA(1", "2: the use of macro `A` has no `)`"),
            ("#define A(x) x\nA(1, 2)", "2: the macro `A` takes 1 argument, found 2 arguments"),
            ("#extension GL_x : require", "1: the extension `GL_x` is not supported"),
            ("#extension GL_x : enable", ""),
            ("#extension GL_x", "1: expected `:` after the name of an extension"),
            ("#extension all : enable", "1: `all` cannot be `enable`"),
            ("#version 300 es\nint a;\n#extension all : warn", "3: `#extension` after other text"),
            ("#line", "1: expected the number of a line after `#line`"),
            ("#line x", "1: `x` is not a macro"),
            ("#error what is it", "1: #error what is it"),
            ("#defin A", "1: unknown directive `#defin`"),
            ("a # b", "1: `#` outside a directive"),
            ("a @", "1: the character '@' does not exist in the language"),
            ("a\n/* b", "2: this comment has no end"),
        ] {
            assert_eq!(run(source).1.join("; "), expected, "{source}");
        }
    }

    #[test]
    fn macros_that_double_end_at_their_budget() {
        let doubling: String =
            (1..60).map(|n| format!("#define A{n} A{} A{}\n", n - 1, n - 1)).collect();
        let calls: String = (1..60).map(|n| format!("#define A{n}(x) A{}(x x)\n", n - 1)).collect();
        for source in [format!("{doubling}A59"), format!("#define A0(x) x\n{calls}A59(a)")] {
            let errors = run(&source).1;
            let end = "a compile's budget of work; it ran out in the pass `preprocess`";
            assert!(errors.len() == 1 && errors[0].ends_with(end), "{errors:?}");
        }
    }
}
