// Shared by guard levels 1 and 2: zeros, comparisons, conversions and special values, all on integers.

// Whether the host's results for zeros are trusted.
const HOST_ZEROS: bool = false;

// Whether x compares as zero: zeros and denormals.
fn x1k_is_zero(x: u32) -> bool {
    return (x & X1K_EXPONENT) == 0u;
}

// The one NaN costs nothing at these levels: x1k_product, x1k_add_loose and x1k_sum_special give no
// other.
fn x1k_settled(result: u32) -> u32 {
    return result;
}

// An integer that orders as x does: denormals are 0, NaN is beyond Inf.
fn x1k_order(x: u32) -> i32 {
    let magnitude = bitcast<i32>(select(x & X1K_MAGNITUDE, 0u, x1k_is_zero(x)));
    let sign = bitcast<i32>(x) >> 31u;
    return (magnitude ^ sign) - sign;
}

// a < b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_less(a: u32, b: u32) -> bool {
    return (x1k_order(a) < x1k_order(b)) & !x1k_is_nan(a) & !x1k_is_nan(b);
}

// a < b for flushed numbers; false if either is NaN.
fn x1k_less_flushed(a: u32, b: u32) -> bool {
    return x1k_less(a, b);
}

// x > 0.5; false for NaN. This is one range of patterns.
fn x1k_above_half(x: u32) -> bool {
    return (x - (X1K_HALF + 1u)) < (X1K_INFINITY - X1K_HALF);
}

// x >= 0 for any number: denormals equal 0; false for NaN.
fn x1k_not_below(x: u32) -> bool {
    return (x <= X1K_INFINITY) | x1k_is_zero(x);
}

// a == b for any numbers: denormals equal 0; false if either is NaN.
fn x1k_equal(a: u32, b: u32) -> bool {
    return (x1k_order(a) == x1k_order(b)) & !x1k_is_nan(a) & !x1k_is_nan(b);
}

// A number, rounded to nearest even and flushed, from its sign, the biased exponent of its first bit
// (any integer) and 32 bits that begin with that bit.
fn x1k_pack(sign: u32, exponent: i32, bits: u32) -> u32 {
    let significand = bits >> 8u;
    let rest = bits & 255u;
    let up = (rest > 128u) | ((rest == 128u) & ((significand & 1u) != 0u));
    // The first bit adds 1 to the exponent. A carry out of the rounding adds 1, too.
    let normal = (bitcast<u32>(max(exponent, 1) - 1) << 23u) + significand + select(0u, 1u, up);
    let bounded = select(normal, X1K_INFINITY, (exponent > 254) | (normal > X1K_INFINITY));
    // From 2^-126 - 2^-150 on a subnormal rounds up to 2^-126.
    let border = (exponent == 0) & (significand == 0x00ffffffu);
    return sign | select(bounded, select(0u, X1K_SMALLEST, border), exponent < 1);
}

// An integer of at most 24 bits as a number.
fn x1k_raw_from(n: i32) -> u32 {
    let magnitude = bitcast<u32>(abs(n));
    let zeros = countLeadingZeros(magnitude) & 31u;
    let number = ((157u - zeros) << 23u) + ((magnitude << zeros) >> 8u);
    return select((bitcast<u32>(n) & X1K_SIGN) | number, 0u, n == 0);
}

// total * 2^(exponent - 127 - 24), rounded once and flushed. exponent is 0 only if total is 0.
fn x1k_scale_total(total: i32, exponent: u32) -> u32 {
    let magnitude = bitcast<u32>(abs(total));
    let zeros = countLeadingZeros(magnitude) & 31u;
    let first = bitcast<i32>(exponent) + 7 - bitcast<i32>(zeros);
    let number = x1k_pack(bitcast<u32>(total) & X1K_SIGN, first, magnitude << zeros);
    return select(number, 0u, total == 0);
}

// The sum of the terms that are Inf or NaN. There is at least one.
fn x1k_sum_special(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let nan = x1k_is_nan(a) | x1k_is_nan(b) | x1k_is_nan(c) | x1k_is_nan(d);
    let plus = (a == X1K_INFINITY) | (b == X1K_INFINITY) | (c == X1K_INFINITY)
        | (d == X1K_INFINITY);
    let below = X1K_SIGN | X1K_INFINITY;
    let minus = (a == below) | (b == below) | (c == below) | (d == below);
    return select(select(below, X1K_INFINITY, plus), X1K_NAN, nan | (plus & minus));
}

// A - floor(A) of a flushed number. The fractional part is exact; for negative A it is added to 1.
fn x1k_frc_loose(a: u32) -> u32 {
    let special = (a & X1K_EXPONENT) == X1K_EXPONENT;
    let x = select(a, 0u, special);
    let exponent = bitcast<i32>((x >> 23u) & 255u) - 127;
    let fraction_bits = X1K_FRACTION >> u32(clamp(exponent, 0, 31));
    let whole = select(x & ~fraction_bits, x & X1K_SIGN, exponent < 0);
    let part = x1k_raw_add(x, x1k_neg(whole));
    let fraction = select(part, 0u, (part & X1K_MAGNITUDE) == 0u);
    let result = select(fraction, x1k_raw_add(fraction, X1K_ONE), fraction >= X1K_SIGN);
    return select(result, X1K_NAN, special);
}

// A - FRC(A) of a finite flushed number.
fn x1k_floor(a: u32) -> u32 {
    return x1k_add_loose(a, x1k_neg(x1k_frc_loose(a)));
}

// The product if a or b, flushed, is 0, Inf or NaN; otherwise `finite`.
fn x1k_product_special(a: u32, b: u32, finite: u32) -> u32 {
    let sign = (a ^ b) & X1K_SIGN;
    let zero = x1k_is_zero(a) | x1k_is_zero(b);
    let infinite = ((a & X1K_EXPONENT) == X1K_EXPONENT) | ((b & X1K_EXPONENT) == X1K_EXPONENT);
    let nan = x1k_is_nan(a) | x1k_is_nan(b) | (zero & infinite);
    let number = select(select(finite, sign, zero), sign | X1K_INFINITY, infinite);
    return select(number, X1K_NAN, nan);
}

// The sum if a or b, flushed, is Inf or NaN, or if both are 0; otherwise `finite`.
fn x1k_add_special(a: u32, b: u32, finite: u32) -> u32 {
    let a_infinite = (a & X1K_EXPONENT) == X1K_EXPONENT;
    let b_infinite = (b & X1K_EXPONENT) == X1K_EXPONENT;
    let opposed = a_infinite & b_infinite & (((a ^ b) & X1K_SIGN) != 0u);
    let nan = x1k_is_nan(a) | x1k_is_nan(b) | opposed;
    let zeros = ((a | b) & X1K_MAGNITUDE) == 0u;
    let number = select(select(finite, a & b, zeros), b, b_infinite);
    return select(select(number, a, a_infinite), X1K_NAN, nan);
}

// ---- results before their flush: products and sums come flushed here, so there is nothing to leave out

fn x1k_flushed(result: u32) -> u32 {
    return result;
}

fn x1k_product_bare(a: u32, b: u32) -> u32 {
    return x1k_product(a, b);
}

fn x1k_plus_zero(x: u32) -> u32 {
    return select(x, 0u, (x & X1K_MAGNITUDE) == 0u);
}

fn x1k_add_bare(a: u32, b: u32) -> u32 {
    return x1k_add_loose(a, b);
}
