//! Questions to a card: tests that its owners can run, and what their results say.
//!
//! A [`Family`] asks one operation. Its file (`examples/card`) draws once for each question. The shader
//! compares the card's result with the results of the known rules, and answers by a colour: red, green,
//! blue, white for the first to the fourth of the values in [`Family::values`]. The probe after each draw asks
//! for a colour that no draw gives, so that the test prints every answer.

use ctm_isa::random::Random;
use std::fmt::Write as _;

/// A channel of each operand of a question, as float bits: a, b, c.
pub type Operands = [[u32; 4]; 3];

/// A rule for the results of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// In words.
    pub name: &'static str,
    /// What becomes of a product before it is a term; `None`: it is exact.
    product: Option<Rounding>,
    /// Places below the last one of the largest term that terms keep; `None`: all.
    guard: Option<i32>,
    /// What becomes of the sum, or of the function's value.
    result: Rounding,
}

/// How a number is brought to 24 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// Towards zero.
    Truncated,
    /// To nearest, ties to even.
    Nearest,
    /// Away from zero.
    Away,
}

/// What an operation computes.
#[derive(Clone, Copy)]
enum Value {
    /// The sum of the products of the first channels of a and b, and of c if `adds`.
    Sum { products: usize, adds: bool },
    /// A function of a, here in binary64.
    Function(fn(f64) -> f64),
}

/// The questions about one operation.
pub struct Family {
    /// The name of its file, without the extension.
    pub name: &'static str,
    /// The operation in GLSL, and its uniforms.
    glsl: &'static str,
    uniforms: &'static [&'static str],
    value: Value,
    /// The rules that its questions tell apart.
    pub rules: &'static [Rule],
    /// The questions' operands.
    pub questions: Vec<Operands>,
}

const fn rule(
    name: &'static str,
    product: Option<Rounding>,
    guard: Option<i32>,
    result: Rounding,
) -> Rule {
    Rule { name, product, guard, result }
}

use Rounding::{Away, Nearest, Truncated};
const PRODUCTS: &[Rule] = &[
    rule("truncated (mode chip)", None, Some(24), Truncated),
    rule("to nearest (mode exact)", None, Some(24), Nearest),
    rule("away from zero", None, Some(24), Away),
];
const SUMS: &[Rule] = &[
    rule("one guard bit, truncated (mode chip)", None, Some(1), Truncated),
    rule("to nearest (mode exact)", None, None, Nearest),
    rule("no guard bit, truncated", None, Some(0), Truncated),
    rule("two guard bits, truncated", None, Some(2), Truncated),
    rule("all bits, truncated", None, None, Truncated),
];
const MADS: &[Rule] = &[
    rule("exact product, one guard bit, truncated (mode chip)", None, Some(1), Truncated),
    rule("product to nearest, sum to nearest (mode exact)", Some(Nearest), None, Nearest),
    rule("truncated product, one guard bit, truncated", Some(Truncated), Some(1), Truncated),
    rule("exact product, all bits, truncated", None, None, Truncated),
];
const DOTS: &[Rule] = &[
    rule("exact products, one guard bit, truncated (mode chip)", None, Some(1), Truncated),
    rule(
        "products to nearest, one guard bit, to nearest (mode exact)",
        Some(Nearest),
        Some(1),
        Nearest,
    ),
    rule("exact products, no guard bit, truncated", None, Some(0), Truncated),
    rule("exact products, all bits, truncated", None, None, Truncated),
];
const FUNCTIONS: &[Rule] = &[
    rule("to nearest (modes exact and chip)", None, None, Nearest),
    rule("truncated", None, None, Truncated),
    rule("away from zero", None, None, Away),
];

/// A number: sign, integer, power of two of its last place.
type Number = (bool, u128, i32);

/// A finite normal number.
fn number(bits: u32) -> Number {
    let field = (bits >> 23 & 255) as i32;
    let significand = if field == 0 { 0 } else { bits & 0x7f_ffff | 0x80_0000 };
    (bits >> 31 == 1, significand.into(), field - 150)
}

/// The place of the highest bit.
fn top((_, m, e): Number) -> i32 {
    127 - m.leading_zeros() as i32 + e
}

/// A number of at most 24 bits.
fn rounded((negative, m, e): Number, rounding: Rounding) -> Number {
    let drop = top((negative, m, e)) - e - 23;
    if m == 0 || drop <= 0 {
        return (negative, m, e);
    }
    let (kept, lost, half) = (m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1));
    let up = match rounding {
        Truncated => false,
        Nearest => lost > half || lost == half && kept & 1 == 1,
        Away => lost != 0,
    };
    (negative, kept + u128::from(up), e + drop)
}

/// The bits of a number of at most 24 bits, in range.
fn bits((negative, m, e): Number) -> u32 {
    if m == 0 {
        return 0;
    }
    let magnitude = m as f64 * 2f64.powi(e);
    (if negative { -magnitude } else { magnitude } as f32).to_bits()
}

/// The sum of terms by a rule.
fn sum(terms: &[Number], rule: &Rule) -> u32 {
    let terms = terms.iter().filter(|term| term.1 != 0);
    let terms: Vec<Number> = match rule.product {
        Some(rounding) => terms.map(|&term| rounded(term, rounding)).collect(),
        None => terms.copied().collect(),
    };
    let Some(largest) = terms.iter().map(|&term| top(term)).max() else { return 0 };
    let least = terms.iter().map(|term| term.2).min().unwrap_or_default();
    let unit = rule.guard.map_or(least, |guard| largest - 23 - guard).max(largest - 100);
    let total: i128 = terms
        .iter()
        .map(|&(negative, m, e)| {
            let units = if e < unit { m >> (unit - e).min(127) } else { m << (e - unit) } as i128;
            if negative { -units } else { units }
        })
        .sum();
    bits(rounded((total < 0, total.unsigned_abs(), unit), rule.result))
}

impl Rule {
    /// The operation's result by this rule.
    fn apply(&self, value: Value, [a, b, c]: &Operands) -> u32 {
        match value {
            Value::Sum { products, adds } => {
                let one = 1f32.to_bits();
                let product = |(&a, &b): (&u32, &u32)| {
                    let ((s, m, e), (t, n, f)) = (number(a), number(b));
                    (s != t, m * n, e + f)
                };
                let mut terms: Vec<Number> = a.iter().zip(b).take(products).map(product).collect();
                terms.extend(adds.then(|| product((&c[0], &one))));
                sum(&terms, self)
            }
            Value::Function(function) => {
                let value = function(f32::from_bits(a[0]).into());
                let bits_of = value.abs().to_bits();
                let m = bits_of & 0xf_ffff_ffff_ffff | 1 << 52;
                let e = (bits_of >> 52) as i32 - 1075;
                bits(rounded((value < 0.0, m.into(), e), self.result))
            }
        }
    }
}

impl Family {
    /// The different results that the rules give, in the order of the colours; and for each rule the
    /// number of its result.
    pub fn values(&self, question: &Operands) -> (Vec<u32>, Vec<usize>) {
        let mut values = Vec::new();
        let of = |rule: &Rule| {
            let value = rule.apply(self.value, question);
            let known = values.iter().position(|other| *other == value);
            known.unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            })
        };
        let numbers = self.rules.iter().map(of).collect();
        (values, numbers)
    }

    /// Adds a question, if the rules' results differ and have colours. Returns whether it did.
    fn ask(&mut self, question: Operands) -> bool {
        let asks = matches!(self.values(&question).0.len(), 2..=4);
        if asks && !self.questions.contains(&question) {
            self.questions.push(question);
        }
        asks
    }

    /// The test for piglit's shader_runner.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# {}: see README.md. Every probe fails on purpose: its output has the answer.\n\
             [require]\nGLSL >= 1.10\n\n\
             [vertex shader]\nvoid main()\n{{\n    gl_Position = gl_Vertex;\n}}\n\n\
             [fragment shader]\n{}uniform vec4 known;\nvoid main()\n{{\n    float result = {};\n    \
             vec3 first = vec3(equal(vec3(result), known.xyz));\n    gl_FragColor = vec4(first + vec3(float(result == known.w)), 1.0);\n}}\n\n[test]\n",
            self.name,
            self.uniforms.iter().map(|name| format!("uniform vec4 {name};\n")).collect::<String>(),
            self.glsl
        );
        for question in &self.questions {
            let (mut known, _) = self.values(question);
            known.resize(4, 12345f32.to_bits());
            let known: [u32; 4] = std::array::from_fn(|n| known[n]);
            for (name, value) in ["a", "b", "c"].into_iter().zip(question) {
                if self.uniforms.contains(&name) {
                    let _ = writeln!(text, "uniform vec4 {name} {}", decimals(*value));
                }
            }
            let _ = writeln!(text, "uniform vec4 known {}", decimals(known));
            text.push_str("draw rect -1 -1 2 2\nprobe rgba 10 10 0.0 0.0 0.0 0.0\n");
        }
        text
    }
}

/// Numbers that are read back as the same bits, also by way of binary64.
fn decimals(value: [u32; 4]) -> String {
    value.map(|x| format!("{:e}", f64::from(f32::from_bits(x)))).join(" ")
}

/// All families with their questions, the same on every call.
pub fn families() -> Vec<Family> {
    let mut random = Random::new(&[0xca7d]);
    let family = |name, (glsl, uniforms), value, rules| {
        let questions = Vec::new();
        Family { name, glsl, uniforms, value, rules, questions }
    };
    const AB: &[&str] = &["a", "b"];
    let sums = |products, adds| Value::Sum { products, adds };
    let significand = |random: &mut Random| random.bits() >> 9 | 1f32.to_bits();
    let scaled = |bits: u32, by: i32| bits.wrapping_add((by << 23) as u32);
    let one = 1f32.to_bits();
    let first = |x: u32| [x, 0, 0, 0];

    // Products whose lost part is that fraction of the last place, below and above 2.
    let mut mul = family("mul", ("a.x * b.x", AB), sums(1, false), PRODUCTS);
    for above in [false, true] {
        for fraction in [0.016, 0.1, 0.25, 0.45, 0.55, 0.75, 0.9, 0.98] {
            for _ in 0..100_000 {
                let (a, b) = (significand(&mut random), significand(&mut random));
                let product = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
                let lost = product.to_bits() & 0x1fff_ffff;
                let near = (lost as f64 / 0x2000_0000 as f64 - fraction).abs() < 0.004;
                if near && (product >= 2.0) == above && mul.ask([first(a), first(b), [0; 4]]) {
                    break;
                }
            }
        }
    }

    // The smaller operand shifted by 22 to 27 places, with dropped bits below, at and above a half.
    let mut add = family("add", ("a.x + c.x", &["a", "c"]), sums(1, true), SUMS);
    for sign in [0, 1 << 31] {
        for shift in 22..=27 {
            for low in [one, one | 0x30_0000, one | 0x40_0000, one | 0x50_0000, one | 0x7f_ffff] {
                for _ in 0..100 {
                    let c = scaled(low, -shift) | sign;
                    if add.ask([first(significand(&mut random)), first(one), first(c)]) {
                        break;
                    }
                }
            }
        }
    }

    // c cancels the leading bits of the product.
    let mut mad = family("mad", ("a.x * b.x + c.x", &["a", "b", "c"]), sums(1, true), MADS);
    for (n, (rounding, off)) in
        [(Truncated, 0), (Nearest, 0), (Truncated, 1), (Truncated, 5)].into_iter().enumerate()
    {
        for _ in 0..1000 {
            let (a, b) = (significand(&mut random), significand(&mut random));
            let to_24_bits = rule("", None, Some(24), rounding);
            let product = to_24_bits.apply(sums(1, false), &[first(a), first(b), [0; 4]]);
            mad.ask([first(a), first(b), first((product + off) | 1 << 31)]);
            if mad.questions.len() == 6 * (n + 1) {
                break;
            }
        }
    }

    // Pairs that cancel, and a term that many places below.
    let mut dots = [("dp3", "dot(a.xyz, b.xyz)", 3), ("dp4", "dot(a, b)", 4)]
        .map(|(name, glsl, products)| family(name, (glsl, AB), sums(products, false), DOTS));
    for dot in &mut dots {
        for shift in 21..=27 {
            for negative in [0, 1 << 31] {
                for _ in 0..1000 {
                    let [x, y, s, t] = std::array::from_fn(|_| significand(&mut random));
                    let s = scaled(s, -shift) | negative;
                    if dot.ask([[x, x, s, 0], [y, y | 1 << 31, t, 0], [0; 4]]) {
                        break;
                    }
                }
            }
        }
    }

    // A product, and the negative of its leading 24 bits.
    for dot in &mut dots {
        for _ in 0..8 {
            let [x, y] = std::array::from_fn(|_| significand(&mut random));
            let product = PRODUCTS[0].apply(sums(1, false), &[first(x), first(y), [0; 4]]);
            dot.ask([[x, product, 0, 0], [y, one | 1 << 31, 0, 0], [0; 4]]);
        }
    }

    // Results next to the middle between two numbers.
    let mut functions = [
        ("rcp", "1.0 / a.x", (|x| 1.0 / x) as fn(f64) -> f64),
        ("rsq", "inversesqrt(a.x)", |x| 1.0 / x.sqrt()),
        ("ex2", "exp2(a.x)", f64::exp2),
        ("lg2", "log2(a.x)", f64::log2),
    ]
    .map(|(name, glsl, function)| {
        family(name, (glsl, &["a"]), Value::Function(function), FUNCTIONS)
    });
    for asked in &mut functions {
        let Value::Function(function) = asked.value else { continue };
        for fraction in [0.05, 0.25, 0.4, 0.45, 0.55, 0.6, 0.75, 0.95] {
            for _ in 0..100_000 {
                let a = scaled(significand(&mut random), (random.bits() % 3) as i32);
                let lost = function(f32::from_bits(a).into()).to_bits() & 0x1fff_ffff;
                let near = (lost as f64 / 0x2000_0000 as f64 - fraction).abs() < 0.004;
                if near && asked.ask([first(a), [0; 4], [0; 4]]) {
                    break;
                }
            }
        }
    }

    [add, mul, mad].into_iter().chain(dots).chain(functions).collect()
}

/// The colours of the values, as channels.
const COLOURS: [[bool; 3]; 4] =
    [[true, false, false], [false, true, false], [false, false, true], [true, true, true]];

/// What a card answered about one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The operation.
    pub name: &'static str,
    /// The number of questions.
    pub asked: usize,
    /// The number of answers.
    pub answered: usize,
    /// The number of answers that no rule gives.
    pub unknown: usize,
    /// Each rule, and the number of answers that it gives.
    pub rules: Vec<(&'static str, usize)>,
}

impl Answers {
    /// The rules that give all answers.
    pub fn supported(&self) -> impl Iterator<Item = &'static str> {
        let all = self.answered;
        self.rules.iter().filter(move |rule| all != 0 && rule.1 == all).map(|rule| rule.0)
    }
}

/// Reads the output of the tests: lines that end with a file's name begin its part, and lines
/// `Observed: r g b a` have the answers in order.
pub fn read(text: &str) -> Vec<Answers> {
    let families = families();
    let mut colours: Vec<Vec<[bool; 3]>> = vec![Vec::new(); families.len()];
    let mut current = None;
    for line in text.lines() {
        let file = line.trim().strip_suffix(".shader_test");
        if let Some(file) = file {
            let is_file = |family: &Family| {
                let rest = file.strip_suffix(family.name);
                rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()))
            };
            current = families.iter().position(is_file).or(current);
        }
        if let (Some(family), Some((_, rest))) = (current, line.split_once("Observed:")) {
            let channels: Vec<f64> =
                rest.split_whitespace().map_while(|x| x.parse().ok()).collect();
            if let [r, g, b, ..] = channels[..] {
                colours[family].push([r, g, b].map(|channel| channel > 0.5));
            }
        }
    }
    families.iter().zip(colours).map(|(family, colours)| family.answers(&colours)).collect()
}

impl Family {
    fn answers(&self, colours: &[[bool; 3]]) -> Answers {
        let mut answers = Answers {
            name: self.name,
            asked: self.questions.len(),
            answered: colours.len().min(self.questions.len()),
            unknown: 0,
            rules: self.rules.iter().map(|rule| (rule.name, 0)).collect(),
        };
        for (question, colour) in self.questions.iter().zip(colours) {
            let (_, numbers) = self.values(question);
            let given = COLOURS.iter().position(|known| known == colour);
            answers.unknown += usize::from(given.is_none());
            for ((_, count), number) in answers.rules.iter_mut().zip(numbers) {
                *count += usize::from(given == Some(number));
            }
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_isa::float::{self, chip};

    /// The output of a card with a rule for every operation.
    fn output(rule: impl Fn(&Family) -> usize) -> String {
        let mut text = String::new();
        for family in families() {
            let _ = writeln!(text, "== examples/card/{}.shader_test", family.name);
            for question in &family.questions {
                let number = family.values(question).1[rule(&family)];
                let one = |on| if on { "1.000000" } else { "0.000000" };
                let [r, g, b] = COLOURS[number].map(one);
                let _ = writeln!(text, "Probe color at (10,10)\n  Observed: {r} {g} {b} 1.000000");
            }
        }
        text
    }

    #[test]
    fn the_first_two_rules_are_the_modes() {
        for family in families() {
            for question in &family.questions {
                let [a, b, c] = question;
                let results = family.rules.iter().map(|rule| rule.apply(family.value, question));
                let results: Vec<u32> = results.collect();
                let three = |x: &[u32; 4]| [x[0], x[1], x[2]];
                let modes = match family.name {
                    "add" => [chip::add(a[0], c[0]), float::add(a[0], c[0])],
                    "mul" => [chip::mul(a[0], b[0], false), float::mul(a[0], b[0], false)],
                    "mad" => {
                        [chip::mad(a[0], b[0], c[0], false), float::mad(a[0], b[0], c[0], false)]
                    }
                    "dp3" => [
                        chip::dp3(three(a), three(b), false),
                        float::dp3(three(a), three(b), false),
                    ],
                    "dp4" => [chip::dp4(*a, *b, false), float::dp4(*a, *b, false)],
                    "rcp" => [float::rcp(a[0]), results[1]],
                    // The model need not be to nearest.
                    _ => continue,
                };
                assert_eq!(results[..2], modes, "{} {question:08x?}", family.name);
            }
        }
    }

    #[test]
    fn questions_tell_every_two_rules_apart() {
        for family in families() {
            assert!(family.questions.len() >= 8, "{}: {}", family.name, family.questions.len());
            let numbers: Vec<_> = family.questions.iter().map(|q| family.values(q).1).collect();
            for one in 0..family.rules.len() {
                for other in 0..one {
                    let apart = numbers.iter().any(|numbers| numbers[one] != numbers[other]);
                    assert!(apart, "{}: {one} and {other}", family.name);
                }
            }
        }
    }

    #[test]
    fn a_result_supports_the_rule_that_made_it() {
        for n in 0..3 {
            for answers in read(&output(|_| n)) {
                let supported: Vec<_> = answers.supported().collect();
                assert_eq!(supported, [answers.rules[n].0], "{answers:?}");
                assert_eq!((answers.unknown, answers.answered), (0, answers.asked));
            }
        }
        let nothing = read("no test here\nObserved: 1 0 0 1\n");
        assert!(nothing.iter().all(|answers| answers.answered == 0));
        assert!(nothing.iter().all(|answers| answers.supported().next().is_none()));
        let black = read("== mul.shader_test\nObserved: 0 0 0 1\n");
        assert_eq!(black.iter().map(|answers| answers.unknown).sum::<usize>(), 1);
    }

    #[test]
    fn the_tests_for_owners_are_fresh() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/card");
        for family in families() {
            let (file, text) = (format!("{folder}/{}.shader_test", family.name), family.text());
            if std::env::var_os("CTM_BLESS").is_some_and(|value| value == "1") {
                std::fs::write(&file, &text).expect("a file");
            }
            let found = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(found, text, "{file} is stale: CTM_BLESS=1 cargo test -p ctm-tools card");
        }
    }
}
