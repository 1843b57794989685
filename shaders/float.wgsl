// X1K floating point, bit-exact: the twin of crates/isa/src/float, with the same names in the same order.
//
// x1k_NAME is the mode `exact`, fast_NAME the mode `fast`. All functions take and return the bits of
// binary32 numbers. docs/float.md says what they mean and why they give the same bits everywhere.
//
// This file needs float_tables.wgsl (the coefficients) and one guard level. The level says how far
// the host's arithmetic is trusted: float_host.wgsl, or float_integers.wgsl with float_guards1.wgsl or
// float_guards2.wgsl.
//
// Every entry point begins with `x1k_zero = groups.z - 1u;`, where `groups` is its number of workgroups.
//
// A function whose name ends in _bare leaves out the flush of its result, and its NaN may have any
// form. One whose name ends in _flushed takes operands that are already flushed and returns the
// same result as the function without the suffix. The same holds for _loose, except that its NaN may
// have any form; it serves results whose bits are never observed. Nothing here short-circuits or
// branches: a host that runs points as lanes of a vector would execute both sides anyway.

// The only NaN that arithmetic produces.
const X1K_NAN: u32 = 0x7fffffffu;
const X1K_SIGN: u32 = 0x80000000u;
const X1K_MAGNITUDE: u32 = 0x7fffffffu;
const X1K_EXPONENT: u32 = 0x7f800000u;
const X1K_FRACTION: u32 = 0x007fffffu;
const X1K_INFINITY: u32 = 0x7f800000u;
const X1K_ONE: u32 = 0x3f800000u;
const X1K_HALF: u32 = 0x3f000000u;
const X1K_QUARTER: u32 = 0x3e800000u;
const X1K_TWO: u32 = 0x40000000u;
const X1K_FOUR: u32 = 0x40800000u;
const X1K_TWO_23: u32 = 0x4b000000u;
// 2^-126, the smallest normal number.
const X1K_SMALLEST: u32 = 0x00800000u;
// 3 * 2^22. Added to a number below 2^22, it leaves that number's nearest integer in the low bits.
const X1K_ROUNDER: u32 = 0x4b400000u;

// ---- contraction and reassociation

// 0, which no compiler knows: all dispatches have one workgroup in z.
var<private> x1k_zero: u32;

// Keeps an operation apart from those that take its result: WGSL lets compilers fuse a product with a sum,
// and take (a * b) * c for a * (b * c), as NVIDIA's does. They drop a guard that they can prove to change
// nothing, so this one needs a number that they do not know. HOLDS: whether float controls do not do it.
fn x1k_hold(result: u32) -> u32 {
    return select(result, result ^ x1k_zero, HOLDS);
}

// a * b as the host computes it. Here, callers pass finite numbers whose product is normal, or tiny where
// that does not matter.
fn x1k_raw_mul(a: u32, b: u32) -> u32 {
    return x1k_hold(x1k_host_mul(a, b));
}

// a + b as the host computes it. Here, callers pass finite numbers whose sum is normal or 0.
fn x1k_raw_add(a: u32, b: u32) -> u32 {
    return x1k_hold(x1k_host_add(a, b));
}

// ---- mod.rs

// A denormal becomes the zero of its sign.
fn x1k_ftz(x: u32) -> u32 {
    return select(x, x & X1K_SIGN, x1k_is_zero(x));
}

fn x1k_is_nan(x: u32) -> bool {
    return (x & X1K_MAGNITUDE) > X1K_INFINITY;
}

fn x1k_neg(x: u32) -> u32 {
    return x ^ X1K_SIGN;
}

fn x1k_abs(x: u32) -> u32 {
    return x & X1K_MAGNITUDE;
}

fn x1k_nab(x: u32) -> u32 {
    return x | X1K_SIGN;
}

// The input modifier: bit 1 clears the sign, then bit 0 flips it.
fn x1k_modify(x: u32, modifier: u32) -> u32 {
    let kept = ~((modifier & 2u) << 30u);
    return (x & kept) ^ ((modifier & 1u) << 31u);
}

// Any NaN becomes the one NaN.
fn x1k_canonical(x: u32) -> u32 {
    return select(x, X1K_NAN, x1k_is_nan(x));
}

// ---- arith.rs

// For the rule that 0 times anything is 0: with finite factors the product already has the right zero;
// with Inf or NaN it is a NaN, which +0 replaces.
fn x1k_product_loose(a: u32, b: u32, zero_times: bool) -> u32 {
    let product = x1k_product(a, b);
    let zero = x1k_is_zero(a) | x1k_is_zero(b);
    return select(product, 0u, zero_times & zero & x1k_is_nan(product));
}

fn x1k_mul_flushed(a: u32, b: u32, zero_times: bool) -> u32 {
    return x1k_settled(x1k_product_loose(a, b, zero_times));
}

fn x1k_mul(a: u32, b: u32, zero_times: bool) -> u32 {
    return x1k_mul_flushed(x1k_ftz(a), x1k_ftz(b), zero_times);
}

// a * b + 0: the product, except that -0 becomes +0. The choice is also the flush.
fn x1k_mul_plus_zero_loose(a: u32, b: u32, zero_times: bool) -> u32 {
    let product = x1k_product_bare(a, b);
    let zero = x1k_is_zero(a) | x1k_is_zero(b);
    return select(product, 0u, (zero_times & zero) | x1k_is_zero(product));
}

fn x1k_mul_plus_zero_flushed(a: u32, b: u32, zero_times: bool) -> u32 {
    return x1k_settled(x1k_mul_plus_zero_loose(a, b, zero_times));
}

fn x1k_add_flushed(a: u32, b: u32) -> u32 {
    return x1k_settled(x1k_add_loose(a, b));
}

fn x1k_add(a: u32, b: u32) -> u32 {
    return x1k_add_flushed(x1k_ftz(a), x1k_ftz(b));
}

fn x1k_mad_flushed(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    return x1k_add_flushed(x1k_product_loose(a, b, zero_times), c);
}

fn x1k_mad_loose(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    return x1k_add_loose(x1k_product_loose(a, b, zero_times), c);
}

fn x1k_mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    return x1k_mad_flushed(x1k_ftz(a), x1k_ftz(b), x1k_ftz(c), zero_times);
}

fn x1k_presub_bias(src0: u32) -> u32 {
    return x1k_add(X1K_ONE, x1k_neg(x1k_mul(X1K_TWO, src0, false)));
}

fn x1k_presub_sub(src0: u32, src1: u32) -> u32 {
    return x1k_add(src1, x1k_neg(src0));
}

fn x1k_presub_add(src0: u32, src1: u32) -> u32 {
    return x1k_add(src1, src0);
}

fn x1k_presub_inv(src0: u32) -> u32 {
    return x1k_add(X1K_ONE, x1k_neg(src0));
}

// The signed significand of a term, with one guard bit, aligned to the largest exponent. `twice` is
// the term without its sign, shifted to the left by one; `signs`: whether it may be negative.
fn x1k_aligned(term: u32, twice: u32, largest: u32, signs: bool) -> i32 {
    // The hidden bit is there unless the term is 0.
    let significand = (twice & 0x00ffffffu) | min(twice, 0x01000000u);
    let magnitude = bitcast<i32>(significand >> min(largest - (twice >> 24u), 31u));
    let sign = bitcast<i32>(term) >> 31u;
    return select(magnitude, (magnitude ^ sign) - sign, signs);
}

// The aligned sum of four flushed terms, without a flush. The terms and the result may hold NaNs of
// any form. `special`: whether any term may be Inf or NaN; `signs`: whether any may have the sign -.
fn x1k_sum4_bare(a: u32, b: u32, c: u32, d: u32, special: bool, signs: bool) -> u32 {
    let twice = vec4<u32>(a, b, c, d) << vec4<u32>(1u);
    let most = max(max(twice.x, twice.y), max(twice.z, twice.w));
    let largest = most >> 24u;
    let total = x1k_aligned(a, twice.x, largest, signs) + x1k_aligned(b, twice.y, largest, signs)
        + x1k_aligned(c, twice.z, largest, signs) + x1k_aligned(d, twice.w, largest, signs);
    let finite = x1k_scale_total(total, largest);
    // If all terms are zeros, the sum is -0 only if each of them is -0.
    let number = select(finite, a & b & c & d, signs & (most == 0u));
    return select(number, x1k_sum_special(a, b, c, d), special & (largest == 255u));
}

fn x1k_sum4_loose(a: u32, b: u32, c: u32, d: u32) -> u32 {
    return x1k_flushed(x1k_sum4_bare(a, b, c, d, true, true));
}

fn x1k_sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
    return x1k_settled(x1k_sum4_loose(a, b, c, d));
}

// The aligned sum of three flushed terms: a fourth term that is a zero changes nothing; only -0 leaves
// -0 if the others are -0.
fn x1k_sum3_bare(a: u32, b: u32, c: u32, special: bool, signs: bool) -> u32 {
    return x1k_sum4_bare(a, b, c, X1K_SIGN, special, signs);
}

fn x1k_sum3_loose(a: u32, b: u32, c: u32) -> u32 {
    return x1k_sum4_loose(a, b, c, X1K_SIGN);
}

fn x1k_sum3(a: u32, b: u32, c: u32) -> u32 {
    return x1k_sum4(a, b, c, X1K_SIGN);
}

fn x1k_term(a: u32, b: u32, zero_times: bool) -> u32 {
    return x1k_product_loose(x1k_ftz(a), x1k_ftz(b), zero_times);
}

fn x1k_dp3(a: vec3<u32>, b: vec3<u32>, zero_times: bool) -> u32 {
    return x1k_sum3(
        x1k_term(a.x, b.x, zero_times),
        x1k_term(a.y, b.y, zero_times),
        x1k_term(a.z, b.z, zero_times),
    );
}

fn x1k_dp4(a: vec4<u32>, b: vec4<u32>, zero_times: bool) -> u32 {
    return x1k_sum4(
        x1k_term(a.x, b.x, zero_times),
        x1k_term(a.y, b.y, zero_times),
        x1k_term(a.z, b.z, zero_times),
        x1k_term(a.w, b.w, zero_times),
    );
}

fn x1k_d2a(a: vec2<u32>, b: vec2<u32>, c: u32, zero_times: bool) -> u32 {
    return x1k_sum3(
        x1k_term(a.x, b.x, zero_times),
        x1k_term(a.y, b.y, zero_times),
        x1k_ftz(c),
    );
}

// A - floor(A).
fn x1k_frc_flushed(a: u32) -> u32 {
    return x1k_settled(x1k_frc_loose(a));
}

fn x1k_frc(a: u32) -> u32 {
    return x1k_frc_flushed(x1k_ftz(a));
}

// The factor of an output modifier 0..=6: 1, 2, 4, 8, 1/2, 1/4, 1/8.
fn x1k_factor(code: u32) -> u32 {
    return select(127u + code, 130u - code, code > 3u) << 23u;
}

fn x1k_omod(x: u32, code: u32) -> u32 {
    let modifier = code & 7u;
    let scaled = x1k_settled(x1k_product(x1k_ftz(x), x1k_factor(modifier)));
    return select(scaled, x, modifier == 7u);
}

// As signed integers, negative patterns compare below all positive ones.
fn x1k_clamp01(x: u32) -> u32 {
    let clamped = bitcast<u32>(clamp(bitcast<i32>(x), 0, bitcast<i32>(X1K_ONE)));
    return select(clamped, 0u, x1k_is_zero(x) | x1k_is_nan(x));
}

// The result after output modifier code & 7 and, if code & 8, a clamp to 0 to 1.
fn x1k_finish(x: u32, code: u32) -> u32 {
    let modified = x1k_omod(x, code);
    return select(modified, x1k_clamp01(modified), (code & 8u) != 0u);
}

// ---- convert.rs

fn x1k_inline_constant(code7: u32) -> u32 {
    let e = (code7 >> 3u) & 15u;
    let m = code7 & 7u;
    // The leading bit of m * 2^-9 is bit 2, 1 or 0 of m.
    let top = select(select(0u, 1u, m > 1u), 2u, m > 3u);
    let small = select(((118u + top) << 23u) | ((m << (23u - top)) & X1K_FRACTION), 0u, m == 0u);
    return select(small, ((e + 120u) << 23u) | (m << 20u), e != 0u);
}

// The floor of the flushed coordinate, saturated to 32 bits. NaN gives 0.
fn x1k_texel_index(coordinate: u32) -> i32 {
    let exponent = bitcast<i32>((coordinate >> 23u) & 255u);
    let significand = bitcast<i32>((coordinate & X1K_FRACTION) | X1K_SMALLEST);
    let magnitude = select(significand, 0, exponent == 0);
    let sign = bitcast<i32>(coordinate) >> 31u;
    let signed_value = (magnitude ^ sign) - sign;
    // The value is signed_value * 2^(exponent - 150). An arithmetic shift to the right takes the floor.
    let fraction = signed_value >> u32(clamp(150 - exponent, 0, 31));
    let whole = signed_value << u32(clamp(exponent - 150, 0, 7));
    let near = select(whole, fraction, exponent < 150);
    let far = 0x7fffffff ^ sign;
    return select(select(far, near, exponent < 158), 0, x1k_is_nan(coordinate));
}

fn x1k_unorm8(x: u32) -> u32 {
    const SCALE: u32 = 0x437f0000u;
    return x1k_step(x1k_clamp01(x), SCALE, X1K_TWO_23) & X1K_FRACTION;
}

fn x1k_unorm16(x: u32) -> u32 {
    const SCALE: u32 = 0x477fff00u;
    return x1k_step(x1k_clamp01(x), SCALE, X1K_TWO_23) & X1K_FRACTION;
}

// A whole number / (2^n - 1), rounded once: the number times 2^-n, which is exact, plus the number
// times `rest`, which is so small that its own rounding changes no quotient.
fn x1k_from_unorm(number: u32, power: u32, rest: u32) -> u32 {
    let x = x1k_raw_from(bitcast<i32>(number));
    let quotient = x1k_raw_add(x1k_host_mul(x, power), x1k_raw_mul(x, rest));
    return select(quotient, 0u, !HOST_ZEROS & (number == 0u));
}

// value / 255: 2^-8, and 1 / 255 - 2^-8.
fn x1k_from_unorm8(value: u32) -> u32 {
    return x1k_from_unorm(value & 0xffu, 0x3b800000u, 0x37808081u);
}

// value / 65535: 2^-16, and 1 / 65535 - 2^-16.
fn x1k_from_unorm16(value: u32) -> u32 {
    return x1k_from_unorm(value & 0xffffu, 0x37800000u, 0x2f800080u);
}

// ---- select.rs (is_zero, less and equal are in the guards)

// Codes: 0 x == 0, 1 x < 0, 2 x >= 0, 3 x != 0.
fn x1k_compare(op: u32, x: u32) -> bool {
    let code = op & 3u;
    let zero = x1k_is_zero(x);
    let nan = x1k_is_nan(x);
    let below = (x >= X1K_SIGN) & !zero & !nan;
    let asked = select(zero, below, (code == 1u) | (code == 2u));
    return (asked != (code >= 2u)) & !((code == 2u) & nan);
}

fn x1k_kills(x: u32) -> bool {
    return (x >= X1K_SIGN) & !x1k_is_nan(x);
}

fn x1k_min(a: u32, b: u32) -> u32 {
    return select(b, a, x1k_less(a, b));
}

fn x1k_max(a: u32, b: u32) -> u32 {
    return select(b, a, x1k_less(b, a));
}

// The same for operands that are already flushed.
fn x1k_min_flushed(a: u32, b: u32) -> u32 {
    return select(b, a, x1k_less_flushed(a, b));
}

fn x1k_max_flushed(a: u32, b: u32) -> u32 {
    return select(b, a, x1k_less_flushed(b, a));
}

fn x1k_cnd(a: u32, b: u32, c: u32) -> u32 {
    return select(b, a, x1k_above_half(c));
}

fn x1k_cmp(a: u32, b: u32, c: u32) -> u32 {
    return select(b, a, x1k_not_below(c));
}

// ---- transcendental.rs

// a * x + c in two roundings.
fn x1k_step(a: u32, x: u32, c: u32) -> u32 {
    return x1k_raw_add(x1k_raw_mul(a, x), c);
}

fn x1k_nearest(x: u32) -> i32 {
    return bitcast<i32>(x1k_raw_add(x, X1K_ROUNDER) - X1K_ROUNDER);
}

fn x1k_rcp(a: u32) -> u32 {
    let magnitude = a & X1K_MAGNITUDE;
    let m = (magnitude & X1K_FRACTION) | X1K_ONE;
    let minus_m = m | X1K_SIGN;
    let r0 = x1k_step(x1k_step(TABLE_RCP_2, m, TABLE_RCP_1), m, TABLE_RCP_0);
    let r1 = x1k_raw_mul(r0, x1k_step(minus_m, r0, X1K_TWO));
    let r2 = x1k_step(x1k_step(minus_m, r1, X1K_ONE), r1, r1);
    // 1/m is quotient / 2^24 and m is significand / 2^23. The remainder 2^47 - significand *
    // quotient is small, so its low 32 bits determine it.
    let quotient = r2 - X1K_QUARTER;
    let significand = (magnitude & X1K_FRACTION) | X1K_SMALLEST;
    let twice = bitcast<i32>((0u - significand * quotient) << 1u);
    let border = bitcast<i32>(significand);
    let up = select(0u, 1u, twice > border);
    let down = select(0u, 1u, twice < -border);
    let corrected = quotient + up - down;
    let scaled = corrected + ((252u - (magnitude >> 23u)) << 23u);
    let normal = select(scaled, 0u, magnitude > 0x7e800000u);
    let result = select(normal, X1K_INFINITY, magnitude < X1K_SMALLEST);
    return select((a & X1K_SIGN) | result, X1K_NAN, x1k_is_nan(a));
}

fn x1k_rcp_loose(a: u32) -> u32 {
    return x1k_rcp(a);
}

fn x1k_rsq(x: u32) -> u32 {
    const ROOT_HALF: u32 = 0x3f3504f3u;
    const MINUS_HALF_STEP: u32 = 0x00800000u;
    const ONE_AND_HALF: u32 = 0x3fc00000u;
    const TWO_M18: u32 = 0x36800000u;
    const TWO_M21: u32 = 0x35000000u;
    // m is in [1, 4); the even power of two is divided out.
    let odd = ~(x >> 23u) & 1u;
    let fraction = x & X1K_FRACTION;
    let significand = (fraction | X1K_SMALLEST) << odd;
    let low = fraction | X1K_ONE;
    let m = low + (odd << 23u);
    let p1 = x1k_step(TABLE_RSQ_3, low, TABLE_RSQ_2);
    let p0 = x1k_step(x1k_step(p1, low, TABLE_RSQ_1), low, TABLE_RSQ_0);
    let y0 = x1k_raw_mul(p0, select(X1K_ONE, ROOT_HALF, odd != 0u));
    let minus_half_m = (m - MINUS_HALF_STEP) | X1K_SIGN;
    let y1 = x1k_raw_mul(y0, x1k_step(x1k_raw_mul(minus_half_m, y0), y0, ONE_AND_HALF));
    let y = x1k_step(x1k_step(x1k_raw_mul(minus_half_m, y1), y1, X1K_HALF), y1, y1);
    // y is r / 2^24 and m is significand / 2^23. With t near sqrt(m) and rest = m * y - t exactly,
    // 1 - m * y^2 = (2^47 - t * r - rest * y) / 2^47, again small enough for its low 32 bits.
    let r = y - X1K_QUARTER;
    let t = x1k_raw_mul(m, y) - X1K_HALF;
    let rest = bitcast<i32>(significand * r - (t << 24u));
    let residue = bitcast<i32>(0u - t * r);
    let h = x1k_step(x1k_neg(x1k_raw_from(rest >> 3u)), y, x1k_raw_from(residue >> 3u));
    // The distance from r to the exact result, at most 1.3. Its error is below 2^-18.
    let distance = x1k_raw_mul(x1k_raw_mul(h, y), TWO_M21);
    // The result is below the half-way point r + side / 2, or above it.
    let below = bitcast<i32>(distance) >> 31u;
    let side = below | 1;
    let beyond = x1k_raw_add(distance, ((distance & X1K_SIGN) | X1K_HALF) ^ X1K_SIGN);
    // Close to that point the sign of (2^71 - significand * (r + side / 2)^2) decides, an integer
    // less a fraction. It is below 2^31 there.
    let fine = ((residue - ((bitcast<i32>(t) ^ below) - below)) << 24u)
        - rest * (bitcast<i32>(r) + side) - bitcast<i32>(significand >> 2u);
    let close = (beyond & X1K_MAGNITUDE) < TWO_M18;
    let above = select(bitcast<i32>(beyond), fine, close) > 0;
    // 2^-k for x = m * 4^k, on top of r / 2^24.
    let k = (bitcast<i32>(x >> 23u) - 127) >> 1u;
    let scaled = r + bitcast<u32>(below) + select(0u, 1u, above) + ((125u - bitcast<u32>(k)) << 23u);
    let normal = select(scaled, 0u, x == X1K_INFINITY);
    let positive = select(normal, X1K_NAN, x > X1K_SIGN);
    let result = select(positive, (x & X1K_SIGN) | X1K_INFINITY, x1k_is_zero(x));
    return select(result, X1K_NAN, x1k_is_nan(x));
}

fn x1k_rsq_loose(x: u32) -> u32 {
    return x1k_rsq(x);
}

fn x1k_ex2(x: u32) -> u32 {
    // 128 and above overflow; everything below -126 is below the smallest normal.
    let over = bitcast<i32>(x) >= 0x43000000;
    let under = x > 0xc2fc0000u;
    let v = select(x, 0u, over | under);
    let n = x1k_nearest(v);
    let f = x1k_raw_add(v, x1k_neg(x1k_raw_from(n)));
    let p4 = x1k_step(TABLE_EX2_5, f, TABLE_EX2_4);
    let p2 = x1k_step(x1k_step(p4, f, TABLE_EX2_3), f, TABLE_EX2_2);
    let p0 = x1k_step(x1k_step(p2, f, TABLE_EX2_1), f, TABLE_EX2_0);
    let p = x1k_step(p0, f, X1K_ONE);
    let scaled = p + (bitcast<u32>(n) << 23u);
    let result = select(select(scaled, 0u, under), X1K_INFINITY, over);
    return select(result, X1K_NAN, x1k_is_nan(x));
}

fn x1k_ln2(x: u32) -> u32 {
    const ROOT_HALF: u32 = 0x3f3504f3u;
    // A = 2^e * (1 + t) with 1 + t from sqrt(1/2) to sqrt(2).
    let offset = x - ROOT_HALF;
    let e = x1k_raw_from(bitcast<i32>(offset) >> 23u);
    let t = x1k_raw_add((offset & X1K_FRACTION) + ROOT_HALF, X1K_ONE | X1K_SIGN);
    let p8 = x1k_step(TABLE_LN2_9, t, TABLE_LN2_8);
    let p6 = x1k_step(x1k_step(p8, t, TABLE_LN2_7), t, TABLE_LN2_6);
    let p4 = x1k_step(x1k_step(p6, t, TABLE_LN2_5), t, TABLE_LN2_4);
    let p2 = x1k_step(x1k_step(p4, t, TABLE_LN2_3), t, TABLE_LN2_2);
    let p0 = x1k_step(x1k_step(p2, t, TABLE_LN2_1), t, TABLE_LN2_0);
    let number = x1k_step(p0, t, e);
    let normal = select(number, X1K_INFINITY, x == X1K_INFINITY);
    let positive = select(normal, X1K_NAN, x > X1K_SIGN);
    let result = select(positive, X1K_SIGN | X1K_INFINITY, x1k_is_zero(x));
    return select(result, X1K_NAN, x1k_is_nan(x));
}

// |A| minus the nearest integer, from -1/2 to 1/2. `magnitude` has no sign.
fn x1k_turn(magnitude: u32) -> u32 {
    // From 2^23 on every number is an integer, a whole number of turns.
    let v = select(0u, magnitude, magnitude < X1K_TWO_23);
    let n = x1k_raw_add(v, X1K_TWO_23) - X1K_TWO_23;
    return x1k_raw_add(v, x1k_neg(x1k_raw_from(bitcast<i32>(n))));
}

// sin(2 pi h) for 0 <= h <= 1/4. The result is from 0 to 1, exact at both ends.
fn x1k_quarter_sine(h: u32) -> u32 {
    // In quarter turns: u + u * (1 - u^2) * g is exactly 1 at u = 1, and the term added to u is
    // small where the sine is large.
    let u = x1k_raw_mul(h, X1K_FOUR);
    let z = x1k_raw_mul(u, u);
    let g2 = x1k_step(TABLE_SIN_3, z, TABLE_SIN_2);
    let g = x1k_step(x1k_step(g2, z, TABLE_SIN_1), z, TABLE_SIN_0);
    let rest = x1k_step(x1k_neg(u), u, X1K_ONE);
    return x1k_step(x1k_raw_mul(rest, g), u, u);
}

fn x1k_sin(a: u32) -> u32 {
    let x = x1k_ftz(a);
    let f = x1k_turn(x & X1K_MAGNITUDE);
    let g = f & X1K_MAGNITUDE;
    // Numbers from 0 to 1/2 order as their patterns do.
    let h = min(g, x1k_raw_add(X1K_HALF, x1k_nab(g)));
    let value = x1k_quarter_sine(h);
    let sign = (x ^ f) & X1K_SIGN;
    let result = select(value ^ sign, 0u, value == 0u);
    return select(result, X1K_NAN, (x & X1K_EXPONENT) == X1K_EXPONENT);
}

fn x1k_cos(x: u32) -> u32 {
    let f = x1k_turn(x & X1K_MAGNITUDE);
    let u = x1k_raw_add(X1K_QUARTER, x1k_nab(f));
    let value = x1k_quarter_sine(u & X1K_MAGNITUDE);
    let result = select(value | (u & X1K_SIGN), 0u, value == 0u);
    return select(result, X1K_NAN, (x & X1K_EXPONENT) == X1K_EXPONENT);
}

// A texture coordinate times the size of the input, or times 1 / Q. Operands are flushed.
fn x1k_scale(a: u32, b: u32) -> u32 {
    return x1k_settled(x1k_product(a, b));
}
