use super::*;
use std::fmt::Write as _;

/// The rounding of a number to 24 bits.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    /// Not at all.
    None,
    Truncated,
    Even,
    HalfAway,
    Away,
}

use Rounding::{Away, Even, HalfAway, Truncated};

/// A rule for sums of products: what becomes of a product, how many bits below the last one of the
/// largest term remain (`None`: all), and what becomes of the sum.
struct Rule(Rounding, Option<i32>, Rounding);

const PRODUCT_RULES: &[Rule] = &[
    Rule(Rounding::None, Some(1), Truncated),
    Rule(Even, None, Even),
    Rule(HalfAway, None, Even),
    Rule(Away, None, Even),
];
const SUM_RULES: &[Rule] = &[
    Rule(Rounding::None, Some(1), Truncated),
    Rule(Rounding::None, None, Even),
    Rule(Rounding::None, Some(0), Truncated),
    Rule(Rounding::None, Some(2), Truncated),
    Rule(Rounding::None, None, Truncated),
    Rule(Rounding::None, Some(1), Even),
];
const MAD_RULES: &[Rule] = &[
    Rule(Rounding::None, Some(1), Truncated),
    Rule(Even, None, Even),
    Rule(Truncated, Some(1), Truncated),
    Rule(Rounding::None, Some(0), Truncated),
    Rule(Rounding::None, None, Truncated),
    Rule(Rounding::None, None, Even),
];
const DOT_RULES: &[Rule] = &[
    Rule(Rounding::None, Some(1), Truncated),
    Rule(Even, Some(1), Even),
    Rule(Truncated, Some(1), Truncated),
    Rule(Rounding::None, Some(0), Truncated),
    Rule(Rounding::None, Some(2), Truncated),
    Rule(Rounding::None, None, Truncated),
];

/// A number: an integer, and the power of two of its last place.
type Number = (i128, i32);

fn number(x: f32) -> Number {
    let bits = x.to_bits();
    assert!(x == 0.0 || x.is_normal(), "{x:e}");
    let size = if x == 0.0 { 0 } else { i128::from(bits & 0x7f_ffff | 0x80_0000) };
    (if x < 0.0 { -size } else { size }, (bits >> 23 & 255) as i32 - 150)
}

/// The place of the highest bit of a number that is not 0.
fn top((m, e): Number) -> i32 {
    127 - m.unsigned_abs().leading_zeros() as i32 + e
}

/// A number as a multiple of 2^unit, or more exact.
fn to_unit((m, e): Number, unit: i32, rounding: Rounding) -> Number {
    if rounding == Rounding::None || e >= unit {
        return (m, e);
    }
    // All of the number is below the unit at 126 places.
    let places = (unit - e).min(126);
    let size = m.abs();
    let (kept, lost, half) = (size >> places, size & ((1 << places) - 1), 1 << (places - 1));
    let up = match rounding {
        Rounding::None | Truncated => false,
        Even => lost > half || lost == half && kept & 1 == 1,
        HalfAway => lost >= half,
        Away => lost > 0,
    };
    ((kept + i128::from(up)) * m.signum(), unit)
}

fn to_24_bits(x: Number, rounding: Rounding) -> Number {
    if x.0 == 0 { x } else { to_unit(x, top(x) - 23, rounding) }
}

/// The sum of products by a rule.
fn sum(products: &[[f32; 2]], &Rule(product, guard, result): &Rule) -> f32 {
    let product = |&[a, b]: &[f32; 2]| {
        let ((m, e), (n, f)) = (number(a), number(b));
        to_24_bits((m * n, e + f), product)
    };
    let terms: Vec<Number> = products.iter().map(product).filter(|term| term.0 != 0).collect();
    let Some(largest) = terms.iter().map(|&term| top(term)).max() else { return 0.0 };
    let unit = guard.map_or(i32::MIN, |guard| largest - 23 - guard);
    let terms: Vec<Number> = terms.iter().map(|&term| to_unit(term, unit, Truncated)).collect();
    let last = terms.iter().map(|term| term.1).min().unwrap();
    let total: i128 = terms.iter().map(|(m, e)| m << (e - last)).sum();
    let (m, e) = to_24_bits((total, last), result);
    let value = m as f64 * 2f64.powi(e);
    assert_eq!(f64::from(value as f32), value);
    value as f32
}

/// The value of a function in binary64, brought to 24 bits. It must not be too close to a border.
fn function(value: f64, rounding: Rounding) -> f32 {
    let bits = value.abs().to_bits();
    let size = i128::from(bits & 0xf_ffff_ffff_ffff | 1 << 52);
    let lost = (size & 0x1fff_ffff) as f64 / f64::from(0x2000_0000);
    assert!((lost - 0.5).abs() > 1e-4 && (1e-4..1.0 - 1e-4).contains(&lost), "{value} {lost}");
    let (m, e) = to_24_bits((size, (bits >> 52) as i32 - 1075), rounding);
    (m as f64 * 2f64.powi(e)).copysign(value) as f32
}

type Operands = [[f32; 4]; 2];

/// The operation in the shader of a test.
fn operation(test: &Test) -> &'static str {
    let (_, rest) = test.text.split_once("float result = max(").unwrap();
    rest.split_once(", least);").unwrap().0
}

/// The products of an operation that is a sum of products.
fn products(operation: &str, [a, b]: Operands) -> Option<Vec<[f32; 2]>> {
    let [x, y, z, _] = a;
    let pairs = |n| a.into_iter().zip(b).take(n).map(|(a, b)| [a, b]).collect();
    Some(match operation {
        "a.x * a.y" => vec![[x, y]],
        "a.x + a.y" => vec![[x, 1.0], [y, 1.0]],
        "a.x * a.y + a.z" => vec![[x, y], [z, 1.0]],
        "dot(a.xyz, b.xyz)" => pairs(3),
        "dot(a, b)" => pairs(4),
        _ => return None,
    })
}

fn models(operation: &str) -> &'static [Rule] {
    match operation {
        "a.x * a.y" => PRODUCT_RULES,
        "a.x + a.y" => SUM_RULES,
        "a.x * a.y + a.z" => MAD_RULES,
        _ => DOT_RULES,
    }
}

/// The result of a mode.
macro_rules! result {
    ($($float:ident)::*, $operation:expr, $operands:expr) => {{
        use $($float)::* as float;
        let [a, b] = $operands.map(|operand: [f32; 4]| operand.map(f32::to_bits));
        let [x, y, z, _] = a;
        f32::from_bits(match $operation {
            "a.x * a.y" => float::mul(x, y, true),
            "a.x + a.y" => float::add(x, y),
            "a.x * a.y + a.z" => float::mad(x, y, z, true),
            "dot(a.xyz, b.xyz)" => float::dp3([x, y, z], [b[0], b[1], b[2]], true),
            "dot(a, b)" => float::dp4(a, b, true),
            "1.0 / a.x" => float::rcp(x),
            "inversesqrt(a.x)" => float::rsq(x),
            "exp2(a.x)" => float::ex2(x),
            "log2(a.x)" => float::ln2(x),
            operation => panic!("{operation}"),
        })
    }};
}

/// The result of each rule of a test: first the modes `chip` and `exact`.
fn results(operation: &str, operands: Operands) -> Vec<f32> {
    let chip = result!(ctm_isa::float::chip, operation, operands);
    let exact = result!(ctm_isa::float, operation, operands);
    if let Some(products) = products(operation, operands) {
        let results: Vec<f32> = models(operation).iter().map(|rule| sum(&products, rule)).collect();
        assert_eq!(results[..2], [chip, exact], "{operation} {operands:?}");
        return results;
    }
    let x = f64::from(operands[0][0]);
    let value = match operation {
        "1.0 / a.x" => 1.0 / x,
        "inversesqrt(a.x)" => 1.0 / x.sqrt(),
        "exp2(a.x)" => x.exp2(),
        "log2(a.x)" => x.log2(),
        _ => panic!("{operation}"),
    };
    let rounded = [Even, Truncated, Away].map(|rounding| function(value, rounding));
    [chip, exact].into_iter().chain(rounded).collect()
}

/// The operands of the questions of a text, in order.
fn operands(text: &str) -> Vec<Operands> {
    let mut questions = Vec::new();
    let mut now = [[0.0; 4]; 2];
    for line in text.lines() {
        for (operand, name) in now.iter_mut().zip(["a", "b"]) {
            if let Some(rest) = line.strip_prefix(&format!("uniform vec4 {name} ")) {
                let words = rest.split(' ').map(|word| word.parse().unwrap());
                *operand = words.collect::<Vec<f32>>().try_into().unwrap();
                // A reader may go by way of binary64.
                let doubles: Vec<f32> = numbers(rest).iter().map(|&x| x as f32).collect();
                assert_eq!(doubles, operand.as_slice());
            }
        }
        if line.starts_with("draw rect") {
            questions.push(now);
        }
    }
    questions
}

/// The colour of a result.
fn colour(results: &[f32], result: f32) -> [f64; 3] {
    let mut colour = [0.0; 3];
    for (rule, other) in results.iter().enumerate() {
        if *other == result {
            colour[rule % 3] += if rule < 3 { 0.25 } else { 0.5 };
        }
    }
    colour
}

/// The text of a test as it has to be: with what the rules give, and a probe for the colour of mode
/// `chip`.
fn expected(test: &Test) -> String {
    let mut text = String::new();
    let mut operands = operands(test.text).into_iter();
    let mut index = 0;
    for line in test.text.lines() {
        let computed = ["uniform vec4 known ", "uniform vec4 other ", "probe rgba "];
        if computed.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let draw = line.starts_with("draw rect");
        if !draw {
            let _ = writeln!(text, "{line}");
            continue;
        }
        let results = results(operation(test), operands.next().unwrap());
        let mut values = results.clone();
        values.resize(6, 12345.0);
        for (name, values) in ["known", "other"].into_iter().zip(values.chunks(3)) {
            let [x, y, z] = [0, 1, 2].map(|n| values[n]);
            let _ = writeln!(text, "uniform vec4 {name} {x:?} {y:?} {z:?} 0");
        }
        let [r, g, b] = colour(&results, results[0]);
        let (x, y) = (5 + 10 * (index % 24), 5 + 10 * (index / 24));
        let _ = writeln!(text, "{line}\nprobe rgba {x} {y} {r} {g} {b} 1");
        index += 1;
    }
    text
}

#[test]
fn the_tests_ask_for_what_the_rules_give() {
    for test in TESTS {
        let expected = expected(test);
        if std::env::var_os("CTM_BLESS").is_some() {
            let path = ctm_testing::files::root().join("examples/card");
            std::fs::write(path.join(test.name).with_extension("shader_test"), expected).unwrap();
        } else {
            assert_eq!(test.text, expected, "{}: CTM_BLESS=1 writes it", test.name);
            assert!(questions(test).len() > 10);
        }
    }
}

#[test]
fn a_test_tells_its_rules_apart() {
    for test in TESTS {
        let results: Vec<Vec<f32>> =
            operands(test.text).into_iter().map(|x| results(operation(test), x)).collect();
        for a in 0..test.rules.len() {
            for b in 0..a {
                // Mode `chip` has the functions of `exact`. They may be to nearest.
                let same = test.rules.len() == FUNCTIONS.len() && a < 3;
                let apart = results.iter().filter(|results| results[a] != results[b]).count();
                assert!(same || apart > 0, "{}: {} {}", test.name, test.rules[a], test.rules[b]);
            }
        }
    }
}

/// The shader compares by a subtraction, so that must not be 0 for different values by any rule.
#[test]
fn the_comparison_is_right_by_every_rule() {
    for test in TESTS {
        for operands in operands(test.text) {
            let results = results(operation(test), operands);
            for a in &results {
                assert!(*a > -1000.0, "the shader's least value");
                for b in &results {
                    for rule in SUM_RULES {
                        assert_eq!(sum(&[[*a, 1.0], [-b, 1.0]], rule) == 0.0, a == b, "{a} {b}");
                    }
                }
            }
        }
    }
}

/// The output of `shader_runner` on a card that gives these results.
fn output(test: &Test, result: impl Fn(&[f32]) -> f32) -> String {
    let mut text = format!("== examples/card/{}.shader_test\n", test.name);
    let mut held = true;
    for (operands, ([x, y], [er, eg, eb])) in operands(test.text).into_iter().zip(questions(test)) {
        let results = results(operation(test), operands);
        let [r, g, b] = colour(&results, result(&results));
        if [r, g, b] != [er, eg, eb] {
            held = false;
            // The card has 8 bits a channel.
            let [r, g, b] = [r, g, b].map(|x| (x * 255.0_f64).round() / 255.0);
            let _ = writeln!(
                text,
                "Probe color at ({x},{y})\n  Expected: {er:.6} {eg:.6} {eb:.6} 1.000000\n  \
                 Observed: {r:.6} {g:.6} {b:.6} 1.000000\nTest failure on line 7"
            );
        }
    }
    let verdict = if held { "pass" } else { "fail" };
    text + &format!("PIGLIT: {{\"result\": \"{verdict}\" }}\n")
}

#[test]
fn a_card_supports_the_rules_that_it_follows() {
    for rule in 0..6 {
        let tests = || TESTS.iter().filter(|test| rule < test.rules.len());
        let text: String = tests().map(|test| output(test, |results| results[rule])).collect();
        let answers = read(&text).unwrap();
        assert_eq!(answers.len(), tests().count());
        for (answer, test) in answers.iter().zip(tests()) {
            assert_eq!((answer.test, answer.questions), (test.name, answer.answered));
            assert!(answer.supports.contains(&test.rules[rule]), "{answer}");
            assert_eq!(answer.unexplained, 0, "{answer}");
            let functions = test.rules == FUNCTIONS;
            assert!(functions || answer.supports.len() == 1, "{answer}");
        }
    }
}

#[test]
fn a_card_may_follow_no_rule() {
    for test in TESTS {
        let answers = read(&output(test, |_| 0.1)).unwrap();
        assert_eq!(answers[0].unexplained, answers[0].questions);
        assert!(answers[0].supports.is_empty(), "{}", answers[0]);
    }
}

#[test]
fn a_simple_text_has_answers() {
    let test = &TESTS[0];
    let ([x, y], [r, g, b]) = questions(test)[1];
    let answers = read(&format!("mul {x} {y} {r} {g} {b}\nmul is an operation\n")).unwrap();
    assert_eq!((answers.len(), answers[0].answered), (1, 1));
    assert_eq!(
        answers[0].to_string(),
        "mul: 1 of 20 questions answered\n  \
         supports chip (truncated): 1 of 1 answers\n  \
         supports exact (to nearest, ties to even): 1 of 1 answers\n  \
         supports to nearest, ties away from zero: 1 of 1 answers\n  \
         excludes away from zero: 0 of 1 answers\n"
    );
}

#[test]
fn texts_without_answers_are_errors() {
    let error = |text: &str| read(text).unwrap_err().to_string();
    let nothing = "no answers: expected the output of the tests in examples/card";
    assert_eq!(error(""), nothing);
    // A shader that does not compile fails without a probe.
    assert_eq!(error("mul.shader_test\nno\nPIGLIT: {\"result\": \"fail\" }\n"), nothing);
    assert_eq!(error("mul.shader_test\nPIGLIT: {\"result\": \"skip\" }\n"), nothing);
    assert_eq!(
        error("Probe color at (5,5)\n  Observed: 0 0 0 1"),
        "line 2: a colour without the name of its test and its pixel"
    );
    assert_eq!(error("mul 6 5 0 0 0"), "line 1: mul has no probe at [6, 5]");
    assert_eq!(error("mul 5 5 0 0"), "line 1: expected a colour");
    assert_eq!(error("a/mul.shader_test\nProbe color at (5)"), "line 2: expected a pixel");
}
