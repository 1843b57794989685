
// ---- fast.rs: native arithmetic. Functions that are missing here are those of the mode `exact`.

// a * b with no zero rule, as a term of a sum.
fn fast_product(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

// With `zero_times`, 0 times anything is +0.
fn fast_mul(a: u32, b: u32, zero_times: bool) -> u32 {
    let zero = x1k_is_zero(a) | x1k_is_zero(b);
    return select(fast_product(a, b), 0u, zero_times & zero);
}

fn fast_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}

fn fast_mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    return fast_add(fast_mul(a, b, zero_times), c);
}

fn fast_presub_bias(src0: u32) -> u32 {
    return bitcast<u32>(1.0 - 2.0 * bitcast<f32>(src0));
}

fn fast_presub_sub(src0: u32, src1: u32) -> u32 {
    return fast_add(src1, x1k_neg(src0));
}

fn fast_presub_add(src0: u32, src1: u32) -> u32 {
    return fast_add(src1, src0);
}

fn fast_presub_inv(src0: u32) -> u32 {
    return bitcast<u32>(1.0 - bitcast<f32>(src0));
}

fn fast_sum3(a: u32, b: u32, c: u32) -> u32 {
    return fast_add(fast_add(a, b), c);
}

fn fast_sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
    return fast_add(fast_sum3(a, b, c), d);
}

fn fast_dp3(a: vec3<u32>, b: vec3<u32>, zero_times: bool) -> u32 {
    let first = fast_mul(a.x, b.x, zero_times);
    return fast_mad(a.z, b.z, fast_mad(a.y, b.y, first, zero_times), zero_times);
}

fn fast_dp4(a: vec4<u32>, b: vec4<u32>, zero_times: bool) -> u32 {
    return fast_mad(a.w, b.w, fast_dp3(a.xyz, b.xyz, zero_times), zero_times);
}

fn fast_d2a(a: vec2<u32>, b: vec2<u32>, c: u32, zero_times: bool) -> u32 {
    let second = fast_mul(a.y, b.y, zero_times);
    return fast_add(fast_mad(a.x, b.x, second, zero_times), c);
}

fn fast_less(a: u32, b: u32) -> bool {
    return bitcast<f32>(a) < bitcast<f32>(b);
}

// Codes: 0 x == 0, 1 x < 0, 2 x >= 0, 3 x != 0.
fn fast_compare(op: u32, x: u32) -> bool {
    let code = op & 3u;
    let number = bitcast<f32>(x);
    let equality = select(number == 0.0, number != 0.0, code == 3u);
    let order = select((number < 0.0), (number >= 0.0), code == 2u);
    return select(equality, order, (code == 1u) | (code == 2u));
}

// Below 0; -0 and denormals are not. The test is one of bits, so that no compiler decides which they are.
fn fast_kills(x: u32) -> bool {
    return (x1k_ftz(x) > X1K_SIGN) & !x1k_is_nan(x);
}

fn fast_min(a: u32, b: u32) -> u32 {
    return select(b, a, fast_less(a, b));
}

fn fast_max(a: u32, b: u32) -> u32 {
    return select(b, a, fast_less(b, a));
}

fn fast_cnd(a: u32, b: u32, c: u32) -> u32 {
    return select(b, a, bitcast<f32>(c) > 0.5);
}

fn fast_cmp(a: u32, b: u32, c: u32) -> u32 {
    return select(b, a, bitcast<f32>(c) >= 0.0);
}

fn fast_frc(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    return bitcast<u32>(x - floor(x));
}

// A - FRC(A).
fn fast_floor(a: u32) -> u32 {
    return bitcast<u32>(floor(bitcast<f32>(a)));
}

fn fast_rcp(a: u32) -> u32 {
    return bitcast<u32>(1.0 / bitcast<f32>(a));
}

fn fast_rsq(a: u32) -> u32 {
    return bitcast<u32>(inverseSqrt(bitcast<f32>(a)));
}

fn fast_ex2(a: u32) -> u32 {
    return bitcast<u32>(exp2(bitcast<f32>(a)));
}

fn fast_ln2(a: u32) -> u32 {
    return bitcast<u32>(log2(bitcast<f32>(a)));
}

fn fast_sin(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    return bitcast<u32>(sin(6.2831855 * (x - round(x))));
}

fn fast_cos(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    return bitcast<u32>(cos(6.2831855 * (x - round(x))));
}

fn fast_omod(x: u32, code: u32) -> u32 {
    let modifier = code & 7u;
    let kept = (modifier == 0u) | (modifier == 7u);
    return select(fast_product(x, x1k_factor(modifier)), x, kept);
}

fn fast_clamp01(x: u32) -> u32 {
    return x1k_clamp01(x);
}

fn fast_finish(x: u32, code: u32) -> u32 {
    let modified = fast_omod(x, code);
    return select(modified, fast_clamp01(modified), (code & 8u) != 0u);
}

fn fast_scale(a: u32, b: u32) -> u32 {
    return fast_product(a, b);
}
