//! Judges one result of a transcendental against the float model's table, with binary64 as the
//! infinitely precise reference.
//!
//! Shared by the tests and by `examples/float_bounds.rs`. It knows only bits, not the functions
//! that made them. The error of the binary64 reference is about 2^-52, far below the bounds tested
//! here.

/// The transcendental operations, in the order of their alpha codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// 2^A.
    Ex2,
    /// log2(A).
    Ln2,
    /// 1 / A.
    Rcp,
    /// 1 / sqrt(A).
    Rsq,
    /// sin(2 pi A).
    Sin,
    /// cos(2 pi A).
    Cos,
}

impl Op {
    /// All operations.
    pub const ALL: [Op; 6] = [Op::Ex2, Op::Ln2, Op::Rcp, Op::Rsq, Op::Sin, Op::Cos];

    /// The mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Op::Ex2 => "EX2",
            Op::Ln2 => "LN2",
            Op::Rcp => "RCP",
            Op::Rsq => "RSQ",
            Op::Sin => "SIN",
            Op::Cos => "COS",
        }
    }

    /// The unit in which [`Verdict::Measured`] counts.
    pub fn unit(self) -> &'static str {
        match self {
            Op::Rcp | Op::Rsq => "ulp",
            Op::Ex2 => "relative",
            Op::Ln2 => "absolute / max(1, |f|)",
            Op::Sin | Op::Cos => "absolute",
        }
    }

    /// The largest error that the float model allows, in [`Op::unit`].
    pub fn bound(self) -> f64 {
        match self {
            Op::Rcp | Op::Rsq => 0.5,
            Op::Ex2 | Op::Ln2 => 1.0 / 4_194_304.0,
            Op::Sin | Op::Cos => 1.0 / 2_097_152.0,
        }
    }
}

/// The verdict on one result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The table allows exactly one result, and this is it.
    Exact,
    /// The result has this error, in [`Op::unit`]; it may exceed the bound.
    Measured(f64),
    /// The table requires other bits, or the result breaks a rule for all results.
    Wrong(&'static str),
}

impl Verdict {
    /// Whether the result is allowed for `op`.
    pub fn allowed(self, op: Op) -> bool {
        match self {
            Verdict::Exact => true,
            Verdict::Measured(error) => error <= op.bound(),
            Verdict::Wrong(_) => false,
        }
    }
}

const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
const NAN: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;

/// The required result of an operation for one argument.
enum Wanted {
    Bits(u32),
    Exactly(f64),
    About(f64),
}

/// Judges `result` as the result of `op` for `argument`.
#[inline]
pub fn judge(op: Op, argument: u32, result: u32) -> Verdict {
    match wanted(op, argument) {
        Wanted::Bits(bits) if bits == result => Verdict::Exact,
        Wanted::Bits(_) => Verdict::Wrong("a special value has other bits"),
        Wanted::Exactly(value) if (value as f32).to_bits() == result => Verdict::Exact,
        Wanted::Exactly(_) => Verdict::Wrong("this value has to be exact"),
        Wanted::About(value) => measure(op, value, result),
    }
}

/// The error of a result that must only be close to `value`, which is not 0.
#[inline]
fn measure(op: Op, value: f64, result: u32) -> Verdict {
    let exponent = result & INFINITY;
    if exponent == INFINITY {
        return Verdict::Wrong("Inf or NaN where the value is finite");
    }
    if exponent == 0 {
        let flushed = if value < 0.0 { SIGN } else { 0 };
        return if result != flushed {
            Verdict::Wrong("a denormal, or a zero of the wrong sign")
        } else if value.abs() < SMALLEST * (1.0 + 1.0 / 4_194_304.0) {
            Verdict::Exact
        } else {
            Verdict::Measured(f64::INFINITY)
        };
    }
    let got = f64::from(f32::from_bits(result));
    let distance = (got - value).abs();
    match op {
        Op::Rcp | Op::Rsq => Verdict::Measured(distance / ulp(value)),
        Op::Ex2 => Verdict::Measured(distance / value),
        Op::Ln2 => Verdict::Measured(distance / value.abs().max(1.0)),
        Op::Sin | Op::Cos if got.abs() > 1.0 => Verdict::Wrong("beyond 1"),
        Op::Sin | Op::Cos => Verdict::Measured(distance),
    }
}

/// The distance of neighbouring binary32 numbers at `value`, without a smallest exponent.
#[inline]
fn ulp(value: f64) -> f64 {
    let power = f64::from_bits(value.to_bits() & 0x7ff0_0000_0000_0000);
    power / 8_388_608.0
}

/// The float model's table.
#[inline]
fn wanted(op: Op, argument: u32) -> Wanted {
    let flushed = if argument & INFINITY == 0 { argument & SIGN } else { argument };
    let x = f32::from_bits(flushed);
    if x.is_nan() {
        return Wanted::Bits(NAN);
    }
    let sign = flushed & SIGN;
    let power_of_two = flushed & 0x007f_ffff == 0;
    let v = f64::from(x);
    match op {
        Op::Rcp if x == 0.0 => Wanted::Bits(sign | INFINITY),
        Op::Rcp if x.is_infinite() => Wanted::Bits(sign),
        Op::Rcp if v.recip().abs() < SMALLEST * 0.9999 => Wanted::Bits(sign),
        Op::Rcp if power_of_two => Wanted::Exactly(v.recip()),
        Op::Rcp => Wanted::About(v.recip()),
        Op::Rsq | Op::Ln2 if x < 0.0 => Wanted::Bits(NAN),
        Op::Rsq if x == 0.0 => Wanted::Bits(sign | INFINITY),
        Op::Rsq if x.is_infinite() => Wanted::Bits(0),
        Op::Rsq if power_of_two && (flushed >> 23) & 1 == 1 => Wanted::Exactly(v.sqrt().recip()),
        Op::Rsq => Wanted::About(v.sqrt().recip()),
        Op::Ex2 if v >= 128.0 => Wanted::Bits(INFINITY),
        Op::Ex2 if v <= -127.0 => Wanted::Bits(0),
        Op::Ex2 if v == v.trunc() => Wanted::Exactly(v.exp2()),
        Op::Ex2 => Wanted::About(v.exp2()),
        Op::Ln2 if x == 0.0 => Wanted::Bits(SIGN | INFINITY),
        Op::Ln2 if x.is_infinite() => Wanted::Bits(INFINITY),
        Op::Ln2 if power_of_two => Wanted::Exactly(f64::from(flushed >> 23) - 127.0),
        Op::Ln2 => Wanted::About(v.log2()),
        Op::Sin | Op::Cos if x.is_infinite() => Wanted::Bits(NAN),
        Op::Sin | Op::Cos => of_turns(op, v),
    }
}

/// The sine or cosine of `v` turns; the reduction is exact in binary64.
#[inline]
fn of_turns(op: Op, v: f64) -> Wanted {
    let fraction = v.abs().fract();
    let quarters = fraction * 4.0;
    if quarters == quarters.trunc() {
        const SINES: [f64; 4] = [0.0, 1.0, 0.0, -1.0];
        let quarter = quarters as usize;
        let value = match op {
            Op::Sin => SINES[quarter] * v.signum(),
            _ => SINES[(quarter + 1) % 4],
        };
        // Zeros are +0, whatever the sign of the argument.
        return Wanted::Exactly(value + 0.0);
    }
    let angle = std::f64::consts::TAU;
    let value = match op {
        Op::Sin => {
            let half = if fraction > 0.5 { fraction - 1.0 } else { fraction };
            let near = if half > 0.25 {
                0.5 - half
            } else if half < -0.25 {
                -0.5 - half
            } else {
                half
            };
            (angle * near).sin() * v.signum()
        }
        _ => {
            let half = if fraction > 0.5 { 1.0 - fraction } else { fraction };
            (angle * (0.25 - half)).sin()
        }
    };
    Wanted::About(value)
}
