//! Measures the transcendentals of the mode `exact` over all 2^32 arguments, and the difference
//! between the modes `fast` and `exact` over a sample. `docs/float.md` records the output.
//!
//! ```text
//! cargo run --release --example float_bounds            # all six, minutes
//! cargo run --release --example float_bounds -- RCP SIN # only these
//! cargo run --release --example float_bounds -- fast    # exact against fast, seconds
//! cargo run --release --example float_bounds -- speed   # arguments per second on one core
//! ```
//!
//! Exits with 1 if an argument is out of bound.

#[path = "float_bounds/fast.rs"]
mod fast;
#[path = "../crates/isa/src/float/tests/judge.rs"]
mod judge;

use ctm::float;
use judge::{Op, Verdict, judge};
use rayon::prelude::*;
use std::process::ExitCode;
use std::time::Instant;

/// The results for a range of arguments.
#[derive(Clone, Copy)]
struct Seen {
    worst: f64,
    worst_argument: u32,
    measured: u64,
    exact: u64,
    bad: u64,
    first_bad: Option<u32>,
}

impl Seen {
    const NOTHING: Seen =
        Seen { worst: 0.0, worst_argument: 0, measured: 0, exact: 0, bad: 0, first_bad: None };

    fn and(self, other: Seen) -> Seen {
        let worse = if other.worst > self.worst { other } else { self };
        Seen {
            worst: worse.worst,
            worst_argument: worse.worst_argument,
            measured: self.measured + other.measured,
            exact: self.exact + other.exact,
            bad: self.bad + other.bad,
            first_bad: self.first_bad.or(other.first_bad),
        }
    }
}

/// Judges `function` over the 2^20 arguments whose high bits are `block`.
#[inline]
fn judge_block(op: Op, block: u32, function: impl Fn(u32) -> u32) -> Seen {
    let mut seen = Seen::NOTHING;
    for low in 0..1u32 << 20 {
        let argument = (block << 20) | low;
        let verdict = judge(op, argument, function(argument));
        match verdict {
            Verdict::Exact => seen.exact += 1,
            Verdict::Measured(error) => {
                seen.measured += 1;
                if error > seen.worst {
                    seen.worst = error;
                    seen.worst_argument = argument;
                }
            }
            Verdict::Wrong(_) => {}
        }
        if !verdict.allowed(op) {
            seen.bad += 1;
            seen.first_bad = seen.first_bad.or(Some(argument));
        }
    }
    seen
}

/// Judges all arguments and prints one line.
fn judge_all(op: Op) -> Seen {
    let start = Instant::now();
    let seen = (0..1u32 << 12)
        .into_par_iter()
        // One closure per function, so that each function is inlined into its own loop.
        .map(|block| match op {
            Op::Ex2 => judge_block(Op::Ex2, block, float::ex2),
            Op::Ln2 => judge_block(Op::Ln2, block, float::ln2),
            Op::Rcp => judge_block(Op::Rcp, block, float::rcp),
            Op::Rsq => judge_block(Op::Rsq, block, float::rsq),
            Op::Sin => judge_block(Op::Sin, block, float::sin),
            Op::Cos => judge_block(Op::Cos, block, float::cos),
        })
        .reduce(|| Seen::NOTHING, Seen::and);
    println!(
        "{}: worst {:.6e} = 2^{:.3} {} at 0x{:08x}; bound {:e}; out of bound {}{}; \
         {} measured, {} fixed by the table; {:.0} s",
        op.name(),
        seen.worst,
        seen.worst.log2(),
        op.unit(),
        seen.worst_argument,
        op.bound(),
        seen.bad,
        seen.first_bad.map(|a| format!(" (first 0x{a:08x})")).unwrap_or_default(),
        seen.measured,
        seen.exact,
        start.elapsed().as_secs_f64(),
    );
    seen
}

/// Prints how many arguments one core processes per second, 64 at a time in plain loops.
fn speed() {
    fn time(name: &str, mut block: impl FnMut(&[u32; 64], &mut [u32; 64])) {
        let mut input: [u32; 64] = std::array::from_fn(|i| 0x3e00_0000 + (i as u32) * 0x0005_4321);
        let mut output = [0; 64];
        let rounds = 1_000_000;
        let start = Instant::now();
        for round in 0..rounds {
            input[round & 63] ^= round as u32 & 0xff;
            block(std::hint::black_box(&input), &mut output);
            std::hint::black_box(&mut output);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {:.0} M/s", rounds as f64 * 64.0 / seconds / 1e6);
    }
    macro_rules! all {
        ($($name:ident)*) => {$(
            time(stringify!($name), |input, output| {
                for (out, &argument) in output.iter_mut().zip(input) {
                    *out = float::$name(argument);
                }
            });
            time(concat!("fast ", stringify!($name)), |input, output| {
                for (out, &argument) in output.iter_mut().zip(input) {
                    *out = float::fast::$name(argument);
                }
            });
        )*};
    }
    all!(rcp rsq ex2 ln2 sin cos frc clamp01);
    time("mul", |input, output| {
        for i in 0..64 {
            output[i] = float::mul(input[i], input[63 - i], false);
        }
    });
    time("mad", |input, output| {
        for i in 0..64 {
            output[i] = float::mad(input[i], input[63 - i], input[i ^ 1], false);
        }
    });
    time("dp4", |input, output| {
        for i in 0..64 {
            let a = [input[i], input[63 - i], input[i ^ 1], input[i ^ 2]];
            output[i] = float::dp4(a, a, false);
        }
    });
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut bad = 0;
    let mut known = names.is_empty();
    for name in &names {
        match name.as_str() {
            "fast" => {
                fast::compare();
                known = true;
            }
            "speed" => {
                speed();
                known = true;
            }
            _ => {}
        }
    }
    for op in Op::ALL {
        if names.is_empty() || names.iter().any(|name| name == op.name()) {
            bad += judge_all(op).bad;
            known = true;
        }
    }
    if !known {
        eprintln!("unknown: {names:?}; expected fast, speed, EX2, LN2, RCP, RSQ, SIN or COS");
    }
    if bad == 0 && known { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
