//! Values of options that several subcommands have.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use ctm_jobs::load::Kind;
use ctm_machine::launch::{FloatMode, MAX_BOUND};
use ctm_prove::Set;
use std::time::Duration;

/// The value of `--mode`.
pub fn parse_mode(text: &str) -> Result<FloatMode, String> {
    FloatMode::from_name(text).ok_or_else(|| "it is \"exact\", \"fast\" or \"chip\"".to_string())
}

/// The value of `--mode` where results of engines must be the same.
pub fn parse_compared_mode(text: &str) -> Result<FloatMode, String> {
    let mode = parse_mode(text).ok().filter(|&mode| mode != FloatMode::Fast);
    mode.ok_or_else(|| "it is \"exact\" or \"chip\"".to_string())
}

/// The value of `--prove`.
pub fn parse_rules(text: &str) -> Result<Set, String> {
    Set::from_name(text).ok_or_else(|| "it is \"bits\" or \"values\"".to_string())
}

/// The value of `--size`.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let number = |s: &str| s.parse().ok().filter(|n| (1..=MAX_BOUND + 1).contains(n));
    let size = text.split_once('x').and_then(|(w, h)| Some((number(w)?, number(h)?)));
    size.ok_or_else(|| "it is columns x rows, each 1 to 4096, such as 512x512".to_string())
}

/// Accepts a number of threads.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

/// The value of `--timeout`.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "it is a number of seconds above 0, such as 2.5".to_string())
}

/// Accepts the names of kinds.
pub fn kind_parser() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name))
        .try_map(|name| Kind::from_name(&name).ok_or("not a kind of program file"))
}

/// A tolerance: a finite number from 0 on.
pub fn tolerance(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    let valid = number >= 0.0 && number.is_finite();
    valid.then_some(number).ok_or_else(|| "it is a number from 0 on".to_string())
}

/// A fraction from 0 to 1.
pub fn fraction(text: &str) -> Result<f64, String> {
    tolerance(text)
        .ok()
        .filter(|&f| f <= 1.0)
        .ok_or_else(|| "it is a fraction from 0 to 1".to_string())
}
