// Guard levels 0 and preserved: the host's own sums, products, comparisons and conversions of any numbers,
// followed by guards on the bits.
//
// For hosts that round to nearest even and keep denormals, Inf and NaN. The start-up probe decides whether
// the host is one of them. The other levels define the same functions for other hosts.
//
// All operands are flushed (see x1k_ftz), except those of x1k_less and x1k_equal.

// a * b, flushed. 0 * Inf and NaN give a NaN of any form.
fn x1k_product(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_host_mul(a, b));
}

// a + b, flushed, with a NaN of any form.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_host_add(a, b));
}

// The result of x1k_product, x1k_add_loose, x1k_sum_special or FRC, with the one NaN.
fn x1k_settled(result: u32) -> u32 {
    return x1k_canonical(result);
}

// ---- results before their flush: the guards on the bits make it where it matters

// A result of x1k_product_bare, x1k_add_bare or x1k_sum4_bare, flushed.
fn x1k_flushed(result: u32) -> u32 {
    return x1k_ftz(result);
}

// a * b. 0 * Inf and NaN give a NaN of any form.
fn x1k_product_bare(a: u32, b: u32) -> u32 {
    return x1k_raw_mul(a, b);
}

// x + 0: -0 becomes +0. x is no denormal. No compiler knows the zero, so none takes x for it.
fn x1k_plus_zero(x: u32) -> u32 {
    return x1k_raw_add(x, x1k_zero);
}

// a + b with a NaN of any form.
fn x1k_add_bare(a: u32, b: u32) -> u32 {
    return x1k_raw_add(a, b);
}

// ---- the host's arithmetic

// Whether the host's results for zeros are trusted.
const HOST_ZEROS: bool = true;

// Whether x compares as zero: zeros and denormals. GPUs take the magnitude with the comparison, which is
// then one instruction. It holds on hosts that flush operands, too, and is false for NaN.
fn x1k_is_zero(x: u32) -> bool {
    return abs(bitcast<f32>(x)) < 0x1p-126f;
}

// a < b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_less(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_ftz(a)) < bitcast<f32>(x1k_ftz(b));
}

// a < b for flushed numbers; false if either is NaN.
fn x1k_less_flushed(a: u32, b: u32) -> bool {
    return bitcast<f32>(a) < bitcast<f32>(b);
}

// x > 0.5; false for NaN.
fn x1k_above_half(x: u32) -> bool {
    return bitcast<f32>(x) > 0.5;
}

// x >= 0 for any number: denormals equal 0; false for NaN. Only numbers up to -2^-126 are below.
fn x1k_not_below(x: u32) -> bool {
    return bitcast<f32>(x) > -0x1p-126f;
}

// a == b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_equal(a: u32, b: u32) -> bool {
    return bitcast<f32>(x1k_ftz(a)) == bitcast<f32>(x1k_ftz(b));
}

// a * b as the host computes it, of any flushed numbers.
fn x1k_host_mul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

// a + b as the host computes it, of any flushed numbers.
fn x1k_host_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}

// An integer of at most 24 bits as a number.
fn x1k_raw_from(n: i32) -> u32 {
    return bitcast<u32>(f32(n));
}

// total * 2^(exponent - 127 - 24), rounded once. It still needs x1k_flushed. exponent is 0 only if
// the total is 0, or if the result does not matter.
//
// A total above 24 bits gives a normal number: the conversion rounds and the product is exact.
// Otherwise the conversion is exact.
fn x1k_scale_total(total: i32, exponent: u32) -> u32 {
    const TWO_M24: u32 = 0x33800000u;
    return x1k_raw_mul(x1k_raw_mul(x1k_raw_from(total), TWO_M24), exponent << 23u);
}

// The sum of the terms that are Inf or NaN. Its NaN may have any form.
fn x1k_sum_special(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let x = select(0u, a, (a & X1K_EXPONENT) == X1K_EXPONENT);
    let y = select(0u, b, (b & X1K_EXPONENT) == X1K_EXPONENT);
    let z = select(0u, c, (c & X1K_EXPONENT) == X1K_EXPONENT);
    let w = select(0u, d, (d & X1K_EXPONENT) == X1K_EXPONENT);
    return x1k_host_add(x1k_host_add(x, y), x1k_host_add(z, w));
}

// A - floor(A) of a flushed number, with a NaN of any form. No result is a denormal: it is A itself
// for A from 0 to 1, and otherwise 0 or at least 2^-24. The sign is turned on the bits: some
// compilers make a number minus its floor an instruction that never gives 1.
fn x1k_frc_loose(a: u32) -> u32 {
    return x1k_raw_add(a, x1k_neg(bitcast<u32>(floor(bitcast<f32>(a)))));
}

// A - FRC(A) of a finite flushed number.
fn x1k_floor(a: u32) -> u32 {
    return bitcast<u32>(floor(bitcast<f32>(a)));
}
