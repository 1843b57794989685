//! `shaders/float.wgsl` on an adapter against `crates/isa/src/float`, bit for bit, and the probe that chooses
//! its guard level.
//!
//! The adapter is that of CTM_ADAPTER. With CTM_FULL=1 every function gets 2^24 tuples of operands
//! at every guard level that is right there (minutes on a software adapter), otherwise 2^17.

use ctm::engine::gpu::probe::{self, Function, ProbeError, Random, Runner, functions, probed};
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::{AdapterChoice, Gpu};
use rayon::prelude::*;
use std::sync::Arc;

const MUL: &str = "return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));";
const ADD: &str = "return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));";

/// The adapter that the tests are to use.
fn open() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|error| panic!("{error}"))
}

/// The results of functions for tuples of operands at a guard level: all of the first, then of the next.
fn results(gpu: &Gpu, guards: Guards, functions: &[Function], tuples: &[[u32; 4]]) -> Vec<u32> {
    let source = probe::kernel(guards, functions);
    let runner = Runner::new(gpu, source, functions.len(), guards.controlled())
        .unwrap_or_else(|error| panic!("{error}"));
    runner.run(tuples).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares every function on `count` tuples at a guard level.
fn compare_all(gpu: &Gpu, guards: Guards, count: usize) {
    const CHUNK: usize = 1 << 16;
    let all = functions();
    let runner = Runner::new(gpu, probe::kernel(guards, &all), all.len(), guards.controlled())
        .unwrap_or_else(|error| panic!("{error}"));
    println!("level {guards}: {count} tuples");
    for chunk in 0..count.div_ceil(CHUNK) {
        let seed = 0x51f0_a7ed ^ ((chunk as u64) << 20);
        let mut random = Random(seed);
        let tuples: Vec<[u32; 4]> = (0..CHUNK.min(count)).map(|_| random.tuple()).collect();
        let results = runner.run(&tuples).unwrap_or_else(|error| panic!("{error}"));
        let wrong = all
            .par_iter()
            .zip(results.par_chunks(tuples.len()))
            .filter_map(|(function, results)| {
                probe::compare(std::slice::from_ref(function), &tuples, results)
            })
            .map(|mismatch| mismatch.to_string())
            .collect::<Vec<_>>();
        assert!(wrong.is_empty(), "level {guards}, seed 0x{seed:x}: {wrong:#?}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn every_function_gives_the_bits_of_the_cpu() {
    let gpu = open();
    let report = probe::probe(&gpu).unwrap_or_else(|error| panic!("{error}"));
    println!("{}: {report:?}", gpu.info.name);
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    for guards in probe::levels(&gpu).filter(|&level| level >= report.guards) {
        compare_all(&gpu, guards, if full { 1 << 24 } else { 1 << 17 });
    }
}

/// All functions with a pattern operand that counts through every exponent and through the ends of
/// every fraction, and every 16-bit value.
#[test]
#[ignore = "needs an adapter"]
fn functions_of_one_operand_meet_every_exponent() {
    let gpu = open();
    let report = probe::probe(&gpu).unwrap_or_else(|error| panic!("{error}"));
    let functions: Vec<Function> = functions().into_iter().filter(|f| f.operands == 1).collect();
    let ends = [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff];
    let exponents = (0..512u32).flat_map(|e| ends.map(|end| [(e << 23) | end, 0, 0, 0]));
    let tuples: Vec<[u32; 4]> = (0..0x1_0000).map(|a| [a, 0, 0, 0]).chain(exponents).collect();
    for guards in probe::levels(&gpu).filter(|&level| level >= report.guards) {
        let results = results(&gpu, guards, &functions, &tuples);
        if let Some(mismatch) = probe::compare(&functions, &tuples, &results) {
            panic!("level {guards}: {mismatch}");
        }
    }
}

/// Where every fraction is right, all functions are right with seeds. A sum after a rounded product is found,
/// and so are seeds that are too far off.
#[test]
#[ignore = "needs an adapter"]
fn seeds_pass_only_if_every_result_is_right() {
    let gpu = open();
    let report = probe::probe(&gpu).unwrap_or_else(|error| panic!("{error}"));
    for guards in probe::levels(&gpu).filter(|&level| level >= report.guards) {
        let Some(fused) = guards.fused() else { continue };
        let unseeded = |kernel: String| {
            probe::unseeded(&gpu, guards, kernel).unwrap_or_else(|error| panic!("{error}"))
        };
        let kernel = probe::seeded_kernel(guards);
        let found = unseeded(kernel.clone());
        println!("level {guards}: {found:?}");
        if found.is_none() {
            compare_all(&gpu, fused, 1 << 16);
        }
        for (right, wrong) in [
            ("fma(-x, y, 1.0)", "x1k_held(-x * y) + 1.0"),
            ("1.0 / x", "1.001 / x"),
            ("inverseSqrt(x)", "inverseSqrt(x) * 1.001"),
        ] {
            assert!(kernel.contains(right), "{right}");
            assert!(unseeded(kernel.replace(right, wrong)).is_some(), "{wrong}");
        }
    }
}

/// A fused multiply-add of sums and products that round to nearest, for numbers whose sums and products are
/// finite: the sum of the product's two parts and c, the last part rounded to odd (Boldo and Melquiond).
/// Small numbers are scaled, so that no part is lost.
const FUSED: &str = "
fn exact_sum(a: f32, b: f32) -> vec2<f32> {
    let s = x1k_held(a + b);
    let t = x1k_held(s - a);
    return vec2(s, x1k_held(a - x1k_held(s - t)) + x1k_held(b - t));
}
fn high(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}
fn exact_fma(a: f32, factor: f32, term: f32) -> f32 {
    let small = abs(term) < 0x1p-40f;
    let b = x1k_held(factor * select(1.0f, 0x1p60f, small));
    let c = x1k_held(term * select(1.0f, 0x1p60f, small));
    let p = x1k_held(a * b);
    let x = vec2(high(a), a - high(a));
    let y = vec2(high(b), b - high(b));
    let first = x1k_held(p - x1k_held(x.x * y.x));
    let second = x1k_held(first - x1k_held(x.y * y.x));
    let third = x1k_held(second - x1k_held(x.x * y.y));
    let t = exact_sum(c, x1k_held(x1k_held(x.y * y.y) - third));
    let v = exact_sum(p, t.x);
    let z = exact_sum(t.y, v.y);
    let bits = bitcast<u32>(z.x);
    let odd = select(bits - 1u, bits + 1u, (z.x > 0.0) == (z.y > 0.0));
    let last = bitcast<f32>(select(bits, odd, (z.y != 0.0) & ((bits & 1u) == 0u)));
    return x1k_held(v.x + last) * select(1.0f, 0x1p-60f, small);
}
";

/// RCP and RSQ from seeds give the bits of the integers for every fraction if sums of products round once,
/// whatever the seeds, as long as they are near.
#[test]
#[ignore = "needs an adapter"]
fn any_near_seed_gives_the_nearest_number() {
    let gpu = open();
    if probe::probe(&gpu).unwrap_or_else(|error| panic!("{error}")).guards > Guards::Fused {
        println!("the parts of a sum are right at level 0 only");
        return;
    }
    for places in ["0u", "3u", "0xfffffffdu"] {
        let mut kernel = probe::seeded_kernel(Guards::Ieee).replace("fma(", "exact_fma(") + FUSED;
        for seed in ["1.0 / x", "inverseSqrt(x)"] {
            let moved = format!("bitcast<f32>(bitcast<u32>({seed}) + {places})");
            assert_eq!(kernel.matches(seed).count(), 1);
            kernel = kernel.replace(seed, &moved);
        }
        let found = probe::unseeded(&gpu, Guards::Ieee, kernel);
        assert_eq!(found.unwrap_or_else(|error| panic!("{error}")), None, "{places}");
    }
}

/// The kernel as on a host with other multiplications and additions: the shader's native ones become
/// calls of `host_mul` and `host_add` in `host`.
fn on_host(guards: Guards, functions: &[Function], host: &str) -> String {
    let source = probe::kernel(guards, functions);
    if guards != Guards::Integers {
        assert!(source.contains(MUL) && source.contains(ADD));
    }
    source.replace(MUL, "return host_mul(a, b);").replace(ADD, "return host_add(a, b);") + host
}

fn probe_on(gpu: &Gpu, host: &str) -> Result<probe::ProbeReport, ProbeError> {
    // The probe's own functions have to find everything out.
    let kernel = |guards: Guards, functions: &[Function]| on_host(guards, functions, host);
    let few = probe::probe_functions(gpu, &probed(), &kernel);
    let all = probe::probe_functions(gpu, &functions(), &kernel);
    let level = |r: &Result<probe::ProbeReport, ProbeError>| r.as_ref().ok().map(|r| r.guards);
    assert_eq!(level(&few), level(&all), "{few:?} {all:?}");
    few
}

/// Arithmetic without denormals, in or out. NaN is the one NaN. Products are 0 that are tiny after they were
/// rounded as if there were no denormals: `scaled` is the product times 2^64, where the smaller factor
/// allows that.
const FLUSHING: &str = "
fn host_mul(a: u32, b: u32) -> u32 {
    let x = x1k_ftz(a);
    let y = x1k_ftz(b);
    let p = bitcast<u32>(bitcast<f32>(x) * bitcast<f32>(y));
    let swapped = x1k_abs(x) < x1k_abs(y);
    let small = select(y, x, swapped);
    let large = select(x, y, swapped);
    let raised = bitcast<u32>(bitcast<f32>(small + 0x20000000u) * bitcast<f32>(large));
    let scaled = select(0x7f800000u, x1k_abs(raised), x1k_abs(small) < 0x3f800000u);
    return x1k_canonical(select(x1k_ftz(p), p & X1K_SIGN, scaled < 0x20800000u));
}
fn host_add(a: u32, b: u32) -> u32 {
    let sum = bitcast<u32>(bitcast<f32>(x1k_ftz(a)) + bitcast<f32>(x1k_ftz(b)));
    return x1k_canonical(x1k_ftz(sum));
}
";

/// Arithmetic that knows no Inf and no NaN: such operands and results give rubbish.
const FINITE: &str = "
fn rubbish(a: u32, b: u32, result: u32) -> u32 {
    let special = x1k_is_nan(a) | x1k_is_nan(b) | (x1k_abs(a) == X1K_INFINITY)
        | (x1k_abs(b) == X1K_INFINITY) | ((result & X1K_EXPONENT) == X1K_EXPONENT);
    return select(result, 0x42280000u, special);
}
fn host_mul(a: u32, b: u32) -> u32 {
    return rubbish(a, b, bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b)));
}
fn host_add(a: u32, b: u32) -> u32 {
    return rubbish(a, b, bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b)));
}
";

/// Sums whose zeros have the wrong sign.
const SIGNED: &str = "
fn host_mul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}
fn host_add(a: u32, b: u32) -> u32 {
    let s = bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
    return select(s, a & X1K_SIGN, x1k_is_zero(s));
}
";

/// Products that are now and then one place too large.
const INEXACT: &str = "
fn host_mul(a: u32, b: u32) -> u32 {
    let p = bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
    return select(p, p + 1u, (p & 0x7fu) == 0x55u);
}
fn host_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}
";

/// Checks that a probe on a simulated host finds a level, and refuses all lower ones.
fn finds(gpu: &Gpu, host: &str, guards: Guards) {
    let report = probe_on(gpu, host).unwrap_or_else(|error| panic!("{error}"));
    println!("{report:?}");
    assert_eq!(report.guards, guards, "{report:?}");
    let lower: Vec<Guards> = report.rejected.iter().map(|(level, _)| *level).collect();
    assert_eq!(lower, probe::levels(gpu).take_while(|level| *level != guards).collect::<Vec<_>>());
}

#[test]
#[ignore = "needs an adapter"]
fn hosts_get_the_guards_that_they_need() {
    let gpu = open();
    for (host, guards) in [
        (FLUSHING, Guards::Normal),
        (FINITE, Guards::Normal),
        (SIGNED, Guards::Normal),
        (INEXACT, Guards::Integers),
    ] {
        finds(&gpu, host, guards);
    }
}

/// The test for zero compares magnitudes. A host that flushes what it compares gives the same; one whose
/// comparisons are true for NaN does not, and gets integers.
#[test]
#[ignore = "needs an adapter"]
fn a_host_with_other_comparisons_of_nan_is_found() {
    const ZERO: &str = "return abs(bitcast<f32>(x)) < 0x1p-126f;";
    let gpu = open();
    let on = |zero: &str, functions: &[Function]| {
        let kernel = |guards: Guards, functions: &[Function]| {
            let source = probe::kernel(guards, functions);
            assert_eq!(source.contains(ZERO), guards <= Guards::Preserved);
            source.replace(ZERO, zero)
        };
        let found = probe::probe_functions(&gpu, functions, &kernel);
        found.unwrap_or_else(|error| panic!("{error}")).guards
    };
    let flushing = "return abs(bitcast<f32>(select(x, 0u, (x & X1K_EXPONENT) == 0u))) < 0x1p-126f;";
    let unordered = "return !(abs(bitcast<f32>(x)) >= 0x1p-126f);";
    for functions in [probed(), functions()] {
        assert_eq!(on(flushing, &functions), on(ZERO, &functions));
        assert_eq!(on(unordered, &functions), Guards::Normal);
    }
}

/// An adapter that gives the exact bits only with float controls gets them, if it has them.
#[test]
#[ignore = "needs an adapter"]
fn a_host_that_needs_float_controls_gets_them() {
    let gpu = open();
    let kernel = |guards: Guards, functions: &[Function]| match guards {
        Guards::Preserved => probe::kernel(guards, functions),
        _ => on_host(guards, functions, FINITE),
    };
    let has = probe::levels(&gpu).any(|level| level.controlled());
    let expected = if has { Guards::Preserved } else { Guards::Normal };
    for functions in [probed(), functions()] {
        let found = probe::probe_functions(&gpu, &functions, &kernel);
        assert_eq!(found.unwrap_or_else(|error| panic!("{error}")).guards, expected);
    }
}

/// A host whose integers are wrong has no level; the error names the function and the operands.
#[test]
#[ignore = "needs an adapter"]
fn a_host_without_a_level_is_refused() {
    let gpu = open();
    let kernel = |guards: Guards, functions: &[Function]| {
        let source = probe::kernel(guards, functions);
        let less = "select(0u, 1u, x1k_less(a, b))";
        assert!(source.contains(less));
        source.replace(less, "select(0u, 2u, x1k_less(a, b))")
    };
    let error = probe::probe_functions(&gpu, &probed(), &kernel).unwrap_err();
    let ProbeError::Unsuitable(rejected) = &error else {
        panic!("{error}");
    };
    assert_eq!(rejected.len(), probe::levels(&gpu).count());
    // An adapter may already fail a level by another function.
    let (_, last) = rejected.last().expect("a level");
    assert_eq!((last.function.as_str(), last.got), ("less", 2));
    let begin = "the adapter does not give the exact bits at any guard level; level 0: ";
    assert!(error.to_string().starts_with(begin), "{error}");
    assert!(error.to_string().contains("level 2: less(0x"), "{error}");
}

/// A function of the mode `fast`, its bound from docs/float.md, and what the bound is a part of.
struct Fast {
    function: Function,
    bound: f64,
    scale: fn([u32; 4], f64) -> f64,
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

fn largest(terms: &[f64]) -> f64 {
    terms.iter().fold(0.0, |m, t| m.max(t.abs()))
}

fn function(name: &str, operands: usize, wgsl: &str, exact: fn([u32; 4]) -> u32) -> Function {
    Function { name: name.into(), operands, wgsl: wgsl.into(), exact: Arc::new(exact) }
}

fn fast(
    name: &'static str,
    operands: usize,
    wgsl: &'static str,
    exact: fn([u32; 4]) -> u32,
    bound: f64,
    scale: fn([u32; 4], f64) -> f64,
) -> Fast {
    let function = function(name, operands, wgsl, exact);
    Fast { function, bound, scale }
}

/// The functions of the mode `fast`. Their operands are finite and normal, and so are the results.
fn fast_functions() -> Vec<Fast> {
    use ctm::float as x;
    let power = |k: i32| 2f64.powi(k);
    // Half a place more than the places promised: the last place of 2 is twice that of 1.
    let places = 2.0 * power(-23);
    let result = |_: [u32; 4], result: f64| result.abs();
    let one = |_: [u32; 4], _: f64| 1.0;
    vec![
        fast("mul", 2, "fast_mul(a, b, false)", |[a, b, ..]| x::mul(a, b, false), 0.0, result),
        fast(
            "mul with zero times",
            2,
            "fast_mul(a, b, true)",
            |[a, b, ..]| x::mul(a, b, true),
            0.0,
            result,
        ),
        fast("add", 2, "fast_add(a, b)", |[a, b, ..]| x::add(a, b), 0.0, result),
        fast("presub_bias", 1, "fast_presub_bias(a)", |[a, ..]| x::presub_bias(a), 0.0, result),
        fast(
            "presub_sub",
            2,
            "fast_presub_sub(a, b)",
            |[a, b, ..]| x::presub_sub(a, b),
            0.0,
            result,
        ),
        fast(
            "presub_add",
            2,
            "fast_presub_add(a, b)",
            |[a, b, ..]| x::presub_add(a, b),
            0.0,
            result,
        ),
        fast("presub_inv", 1, "fast_presub_inv(a)", |[a, ..]| x::presub_inv(a), 0.0, result),
        fast("frc", 1, "fast_frc(a)", |[a, ..]| x::frc(a), 0.0, result),
        fast("min", 2, "fast_min(a, b)", |[a, b, ..]| x::min(a, b), 0.0, result),
        fast("max", 2, "fast_max(a, b)", |[a, b, ..]| x::max(a, b), 0.0, result),
        fast("cnd", 3, "fast_cnd(a, b, c)", |[a, b, c, _]| x::cnd(a, b, c), 0.0, result),
        fast("cmp", 3, "fast_cmp(a, b, c)", |[a, b, c, _]| x::cmp(a, b, c), 0.0, result),
        fast("omod", 2, "fast_omod(a, b)", |[a, b, ..]| x::omod(a, b), 0.0, result),
        fast("clamp01", 1, "fast_clamp01(a)", |[a, ..]| x::clamp01(a), 0.0, result),
        fast(
            "mad",
            3,
            "fast_mad(a, b, c, false)",
            |[a, b, c, _]| x::mad(a, b, c, false),
            power(-22),
            |[a, b, c, _], _| largest(&[value(a) * value(b), value(c)]),
        ),
        fast(
            "dp3",
            4,
            "fast_dp3(vec3(a, c, b), vec3(b, d, d), false)",
            |[a, b, c, d]| x::dp3([a, c, b], [b, d, d], false),
            power(-20),
            |[a, b, c, d], _| {
                largest(&[value(a) * value(b), value(c) * value(d), value(b) * value(d)])
            },
        ),
        fast(
            "dp4",
            4,
            "fast_dp4(vec4(a, c, b, a), vec4(b, d, d, c), false)",
            |[a, b, c, d]| x::dp4([a, c, b, a], [b, d, d, c], false),
            power(-20),
            |[a, b, c, d], _| {
                largest(&[
                    value(a) * value(b),
                    value(c) * value(d),
                    value(b) * value(d),
                    value(a) * value(c),
                ])
            },
        ),
        fast(
            "d2a",
            4,
            "fast_d2a(vec2(a, c), vec2(b, b), d, false)",
            |[a, b, c, d]| x::d2a([a, c], [b, b], d, false),
            power(-20),
            |[a, b, c, d], _| largest(&[value(a) * value(b), value(c) * value(b), value(d)]),
        ),
        fast(
            "sum4",
            4,
            "fast_sum4(a, b, c, d)",
            |[a, b, c, d]| x::sum(&[a, b, c, d]),
            power(-20),
            |tuple, _| largest(&tuple.map(value)),
        ),
        fast("rcp", 1, "fast_rcp(a)", |[a, ..]| x::rcp(a), places, result),
        fast("rsq", 1, "fast_rsq(x1k_abs(a))", |[a, ..]| x::rsq(x::abs(a)), places, result),
        fast("ex2", 1, "fast_ex2(a)", |[a, ..]| x::ex2(a), power(-21), result),
        fast(
            "ln2",
            1,
            "fast_ln2(x1k_abs(a))",
            |[a, ..]| x::ln2(x::abs(a)),
            power(-21),
            |_, result| result.abs().max(1.0),
        ),
        fast("sin", 1, "fast_sin(a)", |[a, ..]| x::sin(a), power(-20), one),
        fast("cos", 1, "fast_cos(a)", |[a, ..]| x::cos(a), power(-20), one),
    ]
}

/// The promises of docs/float.md about the mode `fast` hold here too.
#[test]
#[ignore = "needs an adapter"]
fn fast_functions_stay_within_their_bounds() {
    let gpu = open();
    let all = fast_functions();
    let functions: Vec<Function> = all.iter().map(|f| f.function.clone()).collect();
    let mut random = Random(0xfa59);
    // Exponents near 127; 2^a is normal for every such a.
    let mut near = || (random.bits() & 0x807f_ffff) | ((119 + random.bits() % 14) << 23);
    let tuples: Vec<[u32; 4]> = (0..1 << 16).map(|_| std::array::from_fn(|_| near())).collect();
    let results = results(&gpu, Guards::Ieee, &functions, &tuples);
    let mut wrong = Vec::new();
    for (fast, results) in all.iter().zip(results.chunks(tuples.len())) {
        let (mut worst, mut at) = (0.0, [0; 4]);
        for (&tuple, &got) in tuples.iter().zip(results) {
            let exact = value((fast.function.exact)(tuple));
            let scale = (fast.scale)(tuple, exact);
            let error = (value(got) - exact).abs() / scale.max(f64::MIN_POSITIVE);
            if error.is_nan() || error > worst {
                (worst, at) = (error, tuple);
            }
        }
        println!("{:20} {worst:9.2e} of {:9.2e}", fast.function.name, fast.bound);
        if worst.is_nan() || worst > fast.bound {
            wrong.push(format!("{} {worst:e} at {at:08x?}", fast.function.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// In mode fast 0 times anything is a zero, and one of which nothing is left in a sum.
#[test]
#[ignore = "needs an adapter"]
fn zero_times_anything_in_mode_fast() {
    let gpu = open();
    let functions = [
        function("mul", 2, "fast_mul(a, b, true) & X1K_MAGNITUDE", |_| 0),
        function("mad", 2, "fast_mad(a, b, 0xc0400000u, true)", |_| 0xc040_0000),
        function(
            "dp4",
            2,
            "fast_dp4(vec4(a, b, a, b), vec4(b, a, b, a), true) & X1K_MAGNITUDE",
            |_| 0,
        ),
    ];
    let anything = [
        0,
        0x8000_0000,
        0x0080_0000,
        0x3f80_0000,
        0xc020_0000,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xffc0_1234,
    ];
    let tuples: Vec<[u32; 4]> = anything
        .into_iter()
        .flat_map(|x| [0, 0x8000_0000].map(|zero| (zero, x)))
        .flat_map(|(zero, x)| [[zero, x, 0, 0], [x, zero, 0, 0]])
        .collect();
    let results = results(&gpu, Guards::Ieee, &functions, &tuples);
    if let Some(mismatch) = probe::compare(&functions, &tuples, &results) {
        panic!("{mismatch}");
    }
}
