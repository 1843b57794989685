//! The difference between the modes `fast` and `exact`, over samples of finite normal operands
//! whose exact result is finite and normal. All other cases (denormals, NaN payloads) may differ
//! and are not counted.

use ctm::float::{self, fast};

const SAMPLES: u32 = 1 << 20;
const SEED: u64 = 0x5eed_0f10_a7fa_5700;

/// A splitmix64 generator: the same operands on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 32) as u32
    }

    /// A finite normal number of any exponent.
    fn any(&mut self) -> u32 {
        loop {
            let bits = self.bits();
            if normal(bits) {
                return bits;
            }
        }
    }

    /// A number from -2^4 to 2^4, at least 2^-4 in magnitude.
    fn near(&mut self) -> u32 {
        let bits = self.bits();
        (bits & 0x807f_ffff) | ((123 + (bits >> 23) % 8) << 23)
    }

    /// A number from `low` to `high`.
    fn between(&mut self, low: f32, high: f32) -> u32 {
        (low + (high - low) * (self.bits() as f32 / 4_294_967_296.0)).to_bits()
    }
}

fn normal(bits: u32) -> bool {
    let exponent = (bits >> 23) & 255;
    exponent != 0 && exponent != 255
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// Draws operands, compares, and prints one line. `scale` gives the size of an error of 1, for the
/// operands and the exact result.
fn row<const N: usize>(
    name: &str,
    unit: &str,
    draw: impl Fn(&mut Random) -> [u32; N],
    exact: impl Fn([u32; N]) -> u32,
    native: impl Fn([u32; N]) -> u32,
    scale: impl Fn([u32; N], u32) -> f64,
) {
    let mut random = Random(SEED);
    let mut compared = 0u32;
    let mut different = 0u32;
    let mut worst = (0.0, [0; N]);
    for _ in 0..SAMPLES {
        let operands = draw(&mut random);
        let expected = exact(operands);
        if !normal(expected) {
            continue;
        }
        compared += 1;
        let got = native(operands);
        if got != expected {
            different += 1;
            let error = (value(got) - value(expected)).abs() / scale(operands, expected);
            if error > worst.0 || error.is_nan() {
                worst = (error, operands);
            }
        }
    }
    let place = worst.1.iter().map(|bits| format!("0x{bits:08x}")).collect::<Vec<_>>().join(", ");
    println!("{name}: {different} of {compared} differ; worst {:.4e} {unit} at ({place})", worst.0);
}

/// The value of the last place of a result.
fn ulp(bits: u32) -> f64 {
    f64::from_bits(value(bits).abs().to_bits() & 0x7ff0_0000_0000_0000) / 8_388_608.0
}

/// Prints the comparison of all operations.
pub fn compare() {
    println!("exact against fast, {SAMPLES} samples each, seed 0x{SEED:x}");
    let two = |r: &mut Random| [r.any(), r.any()];
    let three = |r: &mut Random| [r.near(), r.near(), r.near()];
    row(
        "MUL",
        "ulp",
        two,
        |[a, b]| float::mul(a, b, false),
        |[a, b]| fast::mul(a, b, false),
        |_, y| ulp(y),
    );
    row(
        "ADD",
        "ulp",
        |r| [r.near(), r.near()],
        |[a, b]| float::add(a, b),
        |[a, b]| fast::add(a, b),
        |_, y| ulp(y),
    );
    row(
        "MAD",
        "of the largest of |A*B|, |C|",
        three,
        |[a, b, c]| float::mad(a, b, c, false),
        |[a, b, c]| fast::mad(a, b, c, false),
        |[a, b, c], _| (value(a) * value(b)).abs().max(value(c).abs()),
    );
    row(
        "DP4",
        "of the largest |term|",
        |r| std::array::from_fn::<_, 8, _>(|_| r.near()),
        |[a, b, c, d, e, f, g, h]| float::dp4([a, b, c, d], [e, f, g, h], false),
        |[a, b, c, d, e, f, g, h]| fast::dp4([a, b, c, d], [e, f, g, h], false),
        |v, _| (0..4).map(|i| (value(v[i]) * value(v[i + 4])).abs()).fold(0.0, f64::max),
    );
    row(
        "DP3",
        "of the largest |term|",
        |r| std::array::from_fn::<_, 6, _>(|_| r.near()),
        |[a, b, c, d, e, f]| float::dp3([a, b, c], [d, e, f], false),
        |[a, b, c, d, e, f]| fast::dp3([a, b, c], [d, e, f], false),
        |v, _| (0..3).map(|i| (value(v[i]) * value(v[i + 3])).abs()).fold(0.0, f64::max),
    );
    row(
        "D2A",
        "of the largest |term|",
        |r| std::array::from_fn::<_, 5, _>(|_| r.near()),
        |[a, b, c, d, e]| float::d2a([a, b], [c, d], e, false),
        |[a, b, c, d, e]| fast::d2a([a, b], [c, d], e, false),
        |v, _| {
            (0..2).map(|i| (value(v[i]) * value(v[i + 2])).abs()).fold(value(v[4]).abs(), f64::max)
        },
    );
    row("MIN", "ulp", two, |[a, b]| float::min(a, b), |[a, b]| fast::min(a, b), |_, y| ulp(y));
    row("MAX", "ulp", two, |[a, b]| float::max(a, b), |[a, b]| fast::max(a, b), |_, y| ulp(y));
    row(
        "CND",
        "ulp",
        three,
        |[a, b, c]| float::cnd(a, b, c),
        |[a, b, c]| fast::cnd(a, b, c),
        |_, y| ulp(y),
    );
    row(
        "CMP",
        "ulp",
        three,
        |[a, b, c]| float::cmp(a, b, c),
        |[a, b, c]| fast::cmp(a, b, c),
        |_, y| ulp(y),
    );
    let any = |r: &mut Random| [r.any()];
    row("FRC", "absolute", any, |[a]| float::frc(a), |[a]| fast::frc(a), |_, _| 1.0);
    for code in 0..7 {
        row(
            &format!("OMOD {code}"),
            "ulp",
            any,
            |[a]| float::omod(a, code),
            |[a]| fast::omod(a, code),
            |_, y| ulp(y),
        );
    }
    row("clamp", "absolute", any, |[a]| float::clamp01(a), |[a]| fast::clamp01(a), |_, _| 1.0);
    row("RCP", "ulp", any, |[a]| float::rcp(a), |[a]| fast::rcp(a), |_, y| ulp(y));
    row(
        "RSQ",
        "ulp",
        |r| [r.any() & !float::SIGN],
        |[a]| float::rsq(a),
        |[a]| fast::rsq(a),
        |_, y| ulp(y),
    );
    row(
        "EX2",
        "relative",
        |r| [r.between(-126.0, 128.0)],
        |[a]| float::ex2(a),
        |[a]| fast::ex2(a),
        |_, y| value(y),
    );
    row(
        "LN2",
        "of max(1, |f|)",
        |r| [r.any() & !float::SIGN],
        |[a]| float::ln2(a),
        |[a]| fast::ln2(a),
        |_, y| value(y).abs().max(1.0),
    );
    row(
        "LN2 from 1/2 to 2",
        "absolute",
        |r| [r.between(0.5, 2.0)],
        |[a]| float::ln2(a),
        |[a]| fast::ln2(a),
        |_, _| 1.0,
    );
    for (name, turns) in [("within a turn", 1.0), ("within 1000 turns", 1000.0)] {
        let draw = |r: &mut Random| [r.between(-turns, turns)];
        row(
            &format!("SIN {name}"),
            "absolute",
            draw,
            |[a]| float::sin(a),
            |[a]| fast::sin(a),
            |_, _| 1.0,
        );
        row(
            &format!("COS {name}"),
            "absolute",
            draw,
            |[a]| float::cos(a),
            |[a]| fast::cos(a),
            |_, _| 1.0,
        );
    }
    row("SIN any", "absolute", any, |[a]| float::sin(a), |[a]| fast::sin(a), |_, _| 1.0);
    row("COS any", "absolute", any, |[a]| float::cos(a), |[a]| fast::cos(a), |_, _| 1.0);
}
