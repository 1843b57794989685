//! Generates `tables.rs` and `shaders/float_tables.wgsl`: the coefficients of the transcendentals'
//! polynomials.
//!
//! Run `cargo run --example float_tables` to rewrite the files. Tests compare the committed files
//! with the output of this module. It uses only +, -, * and / on `f64`, so that every host
//! generates the same text.

use std::fmt::Write as _;

const LN_2: f64 = std::f64::consts::LN_2;
const PI: f64 = std::f64::consts::PI;

/// The coefficients of one polynomial.
struct Table {
    name: &'static str,
    what: &'static str,
    /// Lowest power first.
    coefficients: Vec<f32>,
}

/// The text of `tables.rs`.
pub fn text() -> String {
    let mut out = String::from(
        "//! Polynomial coefficients of the transcendentals, lowest power first.\n\
         //!\n\
         //! Made by `cargo run --example float_tables`; do not edit.\n",
    );
    for table in tables() {
        let Table { name, what, .. } = table;
        let count = table.coefficients.len();
        let _ = writeln!(out, "\n/// {what}.");
        let _ = writeln!(out, "pub const {name}: [u32; {count}] = [");
        for c in table.coefficients {
            let bits = c.to_bits();
            let _ = writeln!(out, "    0x{:04x}_{:04x}, // {c:e}", bits >> 16, bits & 0xffff);
        }
        out.push_str("];\n");
    }
    out
}

/// The text of `shaders/float_tables.wgsl`: one constant per coefficient, named after its power.
pub fn wgsl() -> String {
    let mut out = String::from(
        "// Polynomial coefficients of the transcendentals; the number in a name is the power.\n\
         //\n\
         // Made by `cargo run --example float_tables`; do not edit.\n",
    );
    for table in tables() {
        let _ = writeln!(out, "\n// {}.", table.what);
        for (power, c) in table.coefficients.iter().enumerate() {
            let _ = writeln!(
                out,
                "const TABLE_{}_{power}: u32 = 0x{:08x}u; // {c:e}",
                table.name,
                c.to_bits()
            );
        }
    }
    out
}

fn tables() -> [Table; 5] {
    [
        table("RCP", "1 / m, 1 <= m <= 2", 1.0, 2.0, 3, |m| 1.0 / m),
        table("RSQ", "1 / sqrt(m), 1 <= m <= 2", 1.0, 2.0, 4, inverse_sqrt),
        table("EX2", "(2^f - 1) / f, |f| <= 1/2", -0.5, 0.5, 6, exp2_slope),
        table(
            "LN2",
            "log2(1 + t) / t, sqrt(1/2) <= 1 + t <= sqrt(2)",
            -0.292_893_218_813_452_5,
            0.414_213_562_373_095,
            10,
            log2_slope,
        ),
        table(
            "SIN",
            "(sin(pi/2 u) / u - 1) / (1 - u^2) in powers of u^2, 0 <= u <= 1",
            0.0,
            1.0,
            4,
            sine_slope,
        ),
    ]
}

/// The polynomial of `count` terms that interpolates `f` at the Chebyshev nodes of [`low`, `high`].
fn table(
    name: &'static str,
    what: &'static str,
    low: f64,
    high: f64,
    count: usize,
    f: impl Fn(f64) -> f64,
) -> Table {
    let coefficients = interpolate(low, high, count, f);
    Table { name, what, coefficients: coefficients.into_iter().map(|c| c as f32).collect() }
}

/// Interpolation at the Chebyshev nodes (Newton's divided differences), expanded to powers.
fn interpolate(low: f64, high: f64, count: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    let nodes: Vec<f64> = (0..count)
        .map(|k| {
            let angle = PI * (2 * k + 1) as f64 / (2 * count) as f64;
            // cos(a) = sin(pi/2 - a), an angle within a quarter turn of 0.
            (low + high) / 2.0 + (high - low) / 2.0 * sin(PI / 2.0 - angle)
        })
        .collect();
    let mut differences: Vec<f64> = nodes.iter().map(|&x| f(x)).collect();
    for order in 1..count {
        for k in (order..count).rev() {
            differences[k] = (differences[k] - differences[k - 1]) / (nodes[k] - nodes[k - order]);
        }
    }
    let mut powers = vec![0.0; count];
    for k in (0..count).rev() {
        // powers = powers * (x - node) + difference
        for i in (1..count).rev() {
            powers[i] = powers[i - 1] - nodes[k] * powers[i];
        }
        powers[0] = differences[k] - nodes[k] * powers[0];
    }
    powers
}

/// sin(x) by its Taylor series, for |x| <= pi/2.
fn sin(x: f64) -> f64 {
    let mut term = x;
    let mut total = x;
    for k in 1..16 {
        term = -term * x * x / ((2 * k) * (2 * k + 1)) as f64;
        total += term;
    }
    total
}

/// (sin(pi/2 u) / u - 1) / (1 - z) for u = sqrt(z), z < 1.
fn sine_slope(z: f64) -> f64 {
    let mut term = PI / 2.0;
    let mut total = term - 1.0;
    for k in 1..20 {
        term = -term * PI * PI * z / (4 * (2 * k) * (2 * k + 1)) as f64;
        total += term;
    }
    total / (1.0 - z)
}

/// (2^f - 1) / f by the series of exp.
fn exp2_slope(f: f64) -> f64 {
    let mut term = LN_2;
    let mut total = term;
    for k in 2..24 {
        term = term * LN_2 * f / k as f64;
        total += term;
    }
    total
}

/// log2(1 + t) / t by the series of the inverse hyperbolic tangent of t / (2 + t).
fn log2_slope(t: f64) -> f64 {
    let s = t / (2.0 + t);
    let mut power = 1.0;
    let mut total = 0.0;
    for k in 0..24 {
        total += power / (2 * k + 1) as f64;
        power *= s * s;
    }
    2.0 * total / (2.0 + t) / LN_2
}

/// 1 / sqrt(m) by Newton's method.
fn inverse_sqrt(m: f64) -> f64 {
    let mut y = 0.8;
    for _ in 0..8 {
        y *= 1.5 - 0.5 * m * y * y;
    }
    y
}
