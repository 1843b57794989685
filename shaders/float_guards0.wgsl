// Guard level 0: native additions, multiplications and comparisons, followed by guards on the bits.
//
// For hosts that round to nearest even, keep denormals, Inf and NaN, and contract nothing through
// integer operations. The start-up probe decides whether the host is one of them. Levels 1 and 2
// define the same functions for other hosts.
//
// All operands are flushed (see x1k_ftz), except those of x1k_less and x1k_equal.

// The level of this file.
const GUARDS: u32 = 0u;

// a * b, flushed. 0 * Inf and NaN give a NaN of any form.
fn x1k_product(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_raw_mul(a, b));
}

// a + b, flushed, with the one NaN.
fn x1k_add_flushed(a: u32, b: u32) -> u32 {
    return x1k_canonical(x1k_add_loose(a, b));
}

// a + b, flushed, with a NaN of any form.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_raw_add(a, b));
}

// a < b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_less(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_ftz(a)) < bitcast<f32>(x1k_ftz(b));
}

// a == b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_equal(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_ftz(a)) == bitcast<f32>(x1k_ftz(b));
}

// a * b as the host computes it. Callers other than those above pass finite numbers whose product is
// normal, or tiny where that does not matter.
fn x1k_raw_mul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

// a + b as the host computes it. Callers other than those above pass finite numbers whose sum is
// normal or 0.
fn x1k_raw_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}

// An integer of at most 24 bits as a number.
fn x1k_raw_from(n: i32) -> u32 {
    return bitcast<u32>(f32(n));
}

// total * 2^(exponent - 127 - 24), rounded once and flushed. exponent is 0 only if total is 0.
//
// A total above 24 bits gives a normal number: the conversion rounds and the product is exact.
// Otherwise the conversion is exact.
fn x1k_scale_total(total: i32, exponent: u32) -> u32 {
    return x1k_ftz(bitcast<u32>(f32(total) * 0x1p-24f * bitcast<f32>(exponent << 23u)));
}

// The sum of the terms that are Inf or NaN. Its NaN may have any form.
fn x1k_sum_special(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let x = select(0u, a, (a & X1K_EXPONENT) == X1K_EXPONENT);
    let y = select(0u, b, (b & X1K_EXPONENT) == X1K_EXPONENT);
    let z = select(0u, c, (c & X1K_EXPONENT) == X1K_EXPONENT);
    let w = select(0u, d, (d & X1K_EXPONENT) == X1K_EXPONENT);
    let sum = (bitcast<f32>(x) + bitcast<f32>(y)) + (bitcast<f32>(z) + bitcast<f32>(w));
    return bitcast<u32>(sum);
}
