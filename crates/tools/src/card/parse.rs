//! The text of the tests, as `NOTICE` describes it.

use super::{Colour, Draw, Probe, Test, Verdict};
use ctm_lang::program::{Image, Program};
use ctm_machine::launch::{Constants, IntConstant};
use std::sync::Arc;

/// A line that is not in the form of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// The line, from 1 on; 0: no line.
    pub line: usize,
    /// The part that cannot be read.
    pub what: String,
}

/// The test that is being read.
#[derive(Default)]
struct Reader {
    tests: Vec<Test>,
    /// The program's numbers in its `P` line, and its words.
    place: [u32; 4],
    words: Vec<[u32; 6]>,
    constants: Constants,
    initial: Vec<(u8, [u32; 4])>,
}

/// Reads tests.
pub(super) fn tests(text: &str) -> Result<Vec<Test>, ParseError> {
    let mut reader = Reader::default();
    for (n, line) in text.lines().enumerate() {
        let error = || ParseError { line: n + 1, what: line.to_string() };
        reader.line(line).ok_or_else(error)?;
    }
    let error = || ParseError { line: text.lines().count(), what: "the last program".into() };
    reader.end().ok_or_else(error)?;
    Ok(reader.tests)
}

fn hex<const N: usize>(text: &str) -> Option<[u32; N]> {
    let words: Option<Vec<u32>> =
        text.split(' ').map(|word| u32::from_str_radix(word, 16).ok()).collect();
    words?.try_into().ok()
}

fn decimals<T: std::str::FromStr>(text: &str, between: char) -> Option<Vec<T>> {
    let words = text.split(between).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

impl Reader {
    fn line(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "T" => {
                self.end()?;
                let (name, verdict) = rest.rsplit_once(' ')?;
                self.tests.push(Test {
                    name: name.to_string(),
                    verdict: Verdict::from_name(verdict)?,
                    program: None,
                    draws: Vec::new(),
                    probes: Vec::new(),
                });
            }
            "P" => {
                let (place, config) = rest.rsplit_once(' ')?;
                let [start, end, offset] = decimals(place, ' ')?.try_into().ok()?;
                let [config] = hex(config)?;
                self.place = [start, end, offset, config];
            }
            "I" => self.words.push(hex(rest)?),
            // Registers without effect on the values.
            "R" => {}
            "N" => self.constants.int = hex(rest)?.map(IntConstant::from_word),
            "B" => [self.constants.bool] = hex(rest)?,
            "C" => {
                let (n, value) = rest.split_once(' ')?;
                *self.constants.float.get_mut(n.parse::<usize>().ok()?)? = hex(value)?;
            }
            "V" => {
                let (temp, value) = rest.split_once(' ')?;
                self.initial.push((temp.parse().ok()?, hex(value)?));
            }
            "D" => {
                let constants = Arc::new(self.constants.clone());
                let draw = Draw { constants, initial: self.initial.clone() };
                self.tests.last_mut()?.draws.push(draw);
            }
            "E" => {
                let probe = probe(rest)?;
                self.tests.last_mut()?.probes.push(probe);
            }
            _ => return None,
        }
        Some(())
    }

    /// Ends a test.
    fn end(&mut self) -> Option<()> {
        let Reader { tests, place: [start, end, offset, config], words, .. } = std::mem::take(self);
        self.tests = tests;
        if let Some(test) = self.tests.last_mut().filter(|_| !words.is_empty()) {
            let mut image = Image::from_words(words);
            image.registers.us_config = config;
            image.registers.us_code_offset = offset;
            image.registers.us_code_addr = start | end << 16;
            test.program = Some(Arc::new(Program::new(image).ok()?));
        }
        Some(())
    }
}

fn probe(text: &str) -> Option<Probe> {
    let [values, tolerances, colours] = text.split(" | ").collect::<Vec<_>>().try_into().ok()?;
    let values: Vec<f64> = decimals(values, ' ')?;
    let [x, y, _, expected @ ..] = &values[..] else { return None };
    let tolerances: Vec<f64> = decimals(tolerances, ' ')?;
    let colour = |word: &str| match word.strip_prefix("c:") {
        Some(clear) => Some(Colour::Clear(decimals(clear, ',')?.try_into().ok()?)),
        None => Some(Colour::Draw(word.parse().ok()?)),
    };
    let colours = colours.split(' ').map(colour).collect::<Option<_>>()?;
    let expected = expected.iter().copied().zip(tolerances).collect();
    Some(Probe { pixel: [*x as u32, *y as u32], colours, expected })
}
