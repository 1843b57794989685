// Guard level 0: native additions, multiplications and comparisons, followed by guards on the bits.
//
// For hosts that round to nearest even, keep denormals, Inf and NaN, and contract nothing through
// integer operations. The start-up probe decides whether the host is one of them. The other levels
// define the same functions for other hosts.
//
// Needs float_host.wgsl.

// a * b, flushed. 0 * Inf and NaN give a NaN of any form.
fn x1k_product(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_raw_mul(a, b));
}

// a + b, flushed, with a NaN of any form.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    return x1k_ftz(x1k_raw_add(a, b));
}

// What x1k_product, x1k_add_loose, x1k_sum_special or FRC gave, with the one NaN.
fn x1k_settled(result: u32) -> u32 {
    return x1k_canonical(result);
}

// An operand that the host compares as if denormals were 0.
fn x1k_compared(x: u32) -> u32 {
    return x1k_ftz(x);
}
