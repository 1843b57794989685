//! The output that a card's owner sends: the results of the tests in `examples/card`.
//!
//! Each test asks questions about one operation. A question is a draw: its shader compares the card's
//! result with those of up to six rules and answers by a colour. Its probe expects the colour
//! of mode `chip`, so piglit's `shader_runner` prints every other colour. It knows no files and no
//! commands.

#[cfg(test)]
mod tests;

use serde::Serialize;
use std::fmt;

/// A test: its name, its text, and the rules that it tells apart.
///
/// The first three rules add 0.25 to red, green and blue where they give the card's result, the others
/// 0.5.
struct Test {
    name: &'static str,
    text: &'static str,
    rules: &'static [&'static str],
}

const PRODUCTS: &[&str] = &[
    "chip (truncated)",
    "exact (to nearest, ties to even)",
    "to nearest, ties away from zero",
    "away from zero",
];
const SUMS: &[&str] = &[
    "chip (one guard bit, truncated)",
    "exact (all bits, to nearest)",
    "no guard bit, truncated",
    "two guard bits, truncated",
    "all bits, truncated",
    "one guard bit, to nearest",
];
const MADS: &[&str] = &[
    "chip (exact product, one guard bit, truncated)",
    "exact (product and sum to nearest)",
    "truncated product, one guard bit, truncated",
    "exact product, no guard bit, truncated",
    "exact product, all bits, truncated",
    "exact product, all bits, to nearest",
];
const DOTS: &[&str] = &[
    "chip (exact products, one guard bit, truncated)",
    "exact (products to nearest, one guard bit, to nearest)",
    "truncated products, one guard bit, truncated",
    "exact products, no guard bit, truncated",
    "exact products, two guard bits, truncated",
    "exact products, all bits, truncated",
];
const FUNCTIONS: &[&str] = &[
    "chip (as exact)",
    "exact (the values of this emulator)",
    "to nearest",
    "truncated",
    "away from zero",
];

macro_rules! tests {
    ($($name:literal $rules:ident)*) => {
        &[$(Test {
            name: $name,
            text: include_str!(concat!("../../../../examples/card/", $name, ".shader_test")),
            rules: $rules,
        }),*]
    };
}

const TESTS: &[Test] = tests! {
    "mul" PRODUCTS "add" SUMS "mad" MADS "dp3" DOTS "dp4" DOTS
    "rcp" FUNCTIONS "rsq" FUNCTIONS "ex2" FUNCTIONS "ln2" FUNCTIONS
};

/// The answer to a question: a bit for each rule that gives the card's result.
type Rules = u8;

/// The pixel of each question of a test, and the colour of mode `chip` there.
fn questions(test: &Test) -> Vec<([u32; 2], [f64; 3])> {
    let probe = |line: &str| {
        let numbers = numbers(line.strip_prefix("probe rgba ")?);
        let [x, y, r, g, b, _] = numbers[..] else { return None };
        Some(([x as u32, y as u32], [r, g, b]))
    };
    test.text.lines().filter_map(probe).collect()
}

/// The numbers at the start of a text.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| c.is_whitespace() || "(,)".contains(c));
    words.filter(|word| !word.is_empty()).map_while(|word| word.parse().ok()).collect()
}

/// The rules that a colour names; none if no draw can have it.
fn rules(colour: [f64; 3]) -> Rules {
    let mut rules = 0;
    for (channel, value) in colour.into_iter().enumerate() {
        let level = (value * 4.0).round();
        if !(0.0..=3.0).contains(&level) || (value * 4.0 - level).abs() > 0.1 {
            return 0;
        }
        let level = level as Rules;
        rules |= (level & 1) << channel | (level >> 1) << (channel + 3);
    }
    rules
}

/// The answer of a card to one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The operation: the name of the test's file.
    pub test: &'static str,
    /// The number of questions.
    pub questions: usize,
    /// The number of questions with an answer.
    pub answered: usize,
    /// The number of answers that no rule gives.
    pub unexplained: usize,
    /// Each rule, and the number of answers that it gives.
    pub rules: Vec<(&'static str, usize)>,
    /// The rules that give all answers.
    pub supports: Vec<&'static str>,
}

impl Answer {
    fn new(test: &Test, answers: &[Option<Rules>]) -> Self {
        let answers: Vec<Rules> = answers.iter().copied().flatten().collect();
        let count = |rule: usize| answers.iter().filter(|rules| *rules >> rule & 1 == 1).count();
        let rules = test.rules.iter().enumerate().map(|(rule, &name)| (name, count(rule)));
        let rules: Vec<_> = rules.collect();
        let known: Rules = (1 << test.rules.len()) - 1;
        let all = rules.iter().filter(|rule| rule.1 == answers.len());
        Self {
            test: test.name,
            questions: questions(test).len(),
            answered: answers.len(),
            unexplained: answers.iter().filter(|rules| *rules & known == 0).count(),
            supports: all.map(|rule| rule.0).collect(),
            rules,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { test, questions, answered, unexplained, rules, supports } = self;
        writeln!(f, "{test}: {answered} of {questions} questions answered")?;
        if supports.is_empty() {
            writeln!(f, "  supports no rule; {unexplained} answers are those of no rule")?;
        }
        for (rule, count) in rules {
            let verb = if supports.contains(rule) { "supports" } else { "excludes" };
            writeln!(f, "  {verb} {rule}: {count} of {answered} answers")?;
        }
        Ok(())
    }
}

/// Errors of a text without answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No line has an answer.
    #[error("no answers: expected the output of the tests in examples/card")]
    Nothing,
    /// A line cannot be understood.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The error.
        what: String,
    },
}

/// The answers to one test that were read.
struct TestAnswers {
    test: &'static Test,
    questions: Vec<([u32; 2], [f64; 3])>,
    answers: Vec<Option<Rules>>,
}

impl TestAnswers {
    /// Notes an answer, or says why it is none.
    fn note(&mut self, pixel: [u32; 2], colour: &[f64]) -> Result<(), String> {
        let Some(question) = self.questions.iter().position(|question| question.0 == pixel) else {
            return Err(format!("{} has no probe at {pixel:?}", self.test.name));
        };
        let [r, g, b, ..] = *colour else { return Err("expected a colour".into()) };
        self.answers[question] = Some(rules([r, g, b]));
        Ok(())
    }

    /// Notes the probes that held: `shader_runner` does not print them.
    fn note_held(&mut self) {
        for (answer, question) in self.answers.iter_mut().zip(&self.questions) {
            answer.get_or_insert(rules(question.1));
        }
    }
}

/// Reads results.
///
/// The text is what `shader_runner` prints. A line that ends with a test's name and `.shader_test`
/// begins the part of that test. A line `NAME X Y R G B` is an answer, too: the colour that NAME has at
/// a pixel. All other lines count for nothing.
///
/// Returns one answer for each test that the text names, in the order of the tests.
///
/// # Errors
/// There is no answer, or a probe belongs to no question.
pub fn read(text: &str) -> Result<Vec<Answer>, Error> {
    let part = |test| {
        let questions = questions(test);
        TestAnswers { test, answers: vec![None; questions.len()], questions }
    };
    let mut parts: Vec<TestAnswers> = TESTS.iter().map(part).collect();
    let mut current = None;
    let mut pixel = None;
    for (index, line) in text.lines().enumerate() {
        let at = |what: String| Error::Line { line: index + 1, what };
        let named = |name: &str| TESTS.iter().position(|test| test.name == name);
        let line = line.trim();
        if let Some(path) = line.strip_suffix(".shader_test") {
            let file = path.rsplit(|c: char| c == '/' || c == '\\' || c.is_whitespace()).next();
            current = file.and_then(named);
            pixel = None;
        } else if let Some(rest) = line.strip_prefix("Probe color at ") {
            let [x, y] = numbers(rest)[..] else { return Err(at("expected a pixel".into())) };
            pixel = Some([x as u32, y as u32]);
        } else if let Some(rest) = line.strip_prefix("Observed:") {
            let (Some(test), Some(pixel)) = (current, pixel.take()) else {
                return Err(at("a colour without the name of its test and its pixel".into()));
            };
            parts[test].note(pixel, &numbers(rest)).map_err(at)?;
        } else if let Some(rest) = line.strip_prefix("PIGLIT:") {
            let Some(test) = current.take() else { continue };
            // A test that fails without a probe did not run.
            let ran = parts[test].answers.iter().any(Option::is_some);
            if rest.contains("\"pass\"") || rest.contains("\"fail\"") && ran {
                parts[test].note_held();
            }
        } else if let Some((name, rest)) = line.split_once(char::is_whitespace) {
            let (Some(test), [x, y, colour @ ..]) = (named(name), &numbers(rest)[..]) else {
                continue;
            };
            parts[test].note([*x as u32, *y as u32], colour).map_err(at)?;
        }
    }
    let answered = |part: &&TestAnswers| part.answers.iter().any(Option::is_some);
    let answers = parts.iter().filter(answered).map(|part| Answer::new(part.test, &part.answers));
    let answers: Vec<Answer> = answers.collect();
    if answers.is_empty() { Err(Error::Nothing) } else { Ok(answers) }
}
