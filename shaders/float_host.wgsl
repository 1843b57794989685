// Shared by guard levels native, repaired and 0: the host's own sums, products, comparisons and
// conversions of any numbers.
//
// All operands are flushed (see x1k_ftz), except those of x1k_less and x1k_equal.

// Whether the host's results for zeros are trusted.
const HOST_ZEROS: bool = true;

// a < b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_less(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_compared(a)) < bitcast<f32>(x1k_compared(b));
}

// a == b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_equal(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_compared(a)) == bitcast<f32>(x1k_compared(b));
}

// a * b as the host computes it. Callers other than x1k_product pass finite numbers whose product is
// normal, or tiny where that does not matter.
fn x1k_raw_mul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

// a + b as the host computes it. Callers other than x1k_add_loose and the sums pass finite numbers
// whose sum is normal or 0.
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
    const TWO_M24: u32 = 0x33800000u;
    return x1k_product(x1k_raw_mul(x1k_raw_from(total), TWO_M24), exponent << 23u);
}

// The halves of the factor 2^(151 - largest), which may be too large for one number. It leaves a
// term with the largest exponent 24 bits and one guard bit before the point.
fn x1k_alignment(largest: u32) -> vec2<u32> {
    let power = 2u * 127u + 151u - largest;
    let half = power >> 1u;
    return vec2<u32>(half << 23u, (power - half) << 23u);
}

// A term times the first half of its alignment, times the other half: its aligned significand. The
// conversion truncates the magnitude. A term so small that a product is inexact becomes 0.
fn x1k_aligned(half: u32, alignment: vec2<u32>) -> i32 {
    return i32(bitcast<f32>(half) * bitcast<f32>(alignment.y));
}

// The sum of terms: from their aligned total or, with an Inf or a NaN among them, from the native
// sum of the terms times half their alignment, which cannot overflow. (The products are held, lest a
// compiler multiplies the sum of the terms instead, which can.) `any` and `all` are the bits
// that some and all terms have: if all terms are zeros, the sum is -0 only if each of them is -0.
fn x1k_summed(total: i32, largest: u32, any: u32, all: u32, special: u32) -> u32 {
    let finite = x1k_scale_total(total, largest);
    let number = select(finite, all, (any & X1K_MAGNITUDE) == 0u);
    return select(number, special, largest == 255u);
}

// The aligned sum of three flushed terms, with a NaN of any form.
fn x1k_sum3_loose(a: u32, b: u32, c: u32) -> u32 {
    let largest = max(max(a & X1K_EXPONENT, b & X1K_EXPONENT), c & X1K_EXPONENT) >> 23u;
    let by = x1k_alignment(largest);
    let x = x1k_raw_mul(a, by.x);
    let y = x1k_raw_mul(b, by.x);
    let z = x1k_raw_mul(c, by.x);
    let total = x1k_aligned(x, by) + x1k_aligned(y, by) + x1k_aligned(z, by);
    let special = x1k_raw_add(x1k_raw_add(x1k_hold(x), x1k_hold(y)), x1k_hold(z));
    return x1k_summed(total, largest, a | b | c, a & b & c, special);
}

// The aligned sum of four flushed terms, with a NaN of any form.
fn x1k_sum4_loose(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let largest = max(
        max(a & X1K_EXPONENT, b & X1K_EXPONENT),
        max(c & X1K_EXPONENT, d & X1K_EXPONENT),
    ) >> 23u;
    let by = x1k_alignment(largest);
    let x = x1k_raw_mul(a, by.x);
    let y = x1k_raw_mul(b, by.x);
    let z = x1k_raw_mul(c, by.x);
    let w = x1k_raw_mul(d, by.x);
    let total =
        x1k_aligned(x, by) + x1k_aligned(y, by) + x1k_aligned(z, by) + x1k_aligned(w, by);
    let special = x1k_raw_add(
        x1k_raw_add(x1k_hold(x), x1k_hold(y)),
        x1k_raw_add(x1k_hold(z), x1k_hold(w)),
    );
    return x1k_summed(total, largest, a | b | c | d, a & b & c & d, special);
}

// A - floor(A) of a flushed number, with a NaN of any form. No result is a denormal: it is A itself
// for A from 0 to 1, and otherwise 0 or at least 2^-24. The sign is turned on the bits: some
// compilers make a number minus its floor an instruction that never gives 1.
fn x1k_frc_loose(a: u32) -> u32 {
    return x1k_raw_add(a, x1k_neg(bitcast<u32>(floor(bitcast<f32>(a)))));
}
