// Guard level native: the host's arithmetic is the chip's.
//
// For hosts whose instructions flush denormals after rounding, give results from 2^-126 - 2^-150 up to
// 2^-126 as 2^-126, know signed zeros and Inf, and have no NaN but 0x7fffffff. The shader asks for
// this with SPIR-V's float controls, and forbids contraction. The start-up probe decides whether the
// host does it.
//
// Needs float_host.wgsl.

// a * b, flushed, with the one NaN.
fn x1k_product(a: u32, b: u32) -> u32 {
    return x1k_raw_mul(a, b);
}

// a + b, flushed, with the one NaN.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    return x1k_raw_add(a, b);
}

// What x1k_product, x1k_add_loose, x1k_sum_special or FRC gave, with the one NaN.
fn x1k_settled(result: u32) -> u32 {
    return result;
}

// An operand that the host compares as if denormals were 0.
fn x1k_compared(x: u32) -> u32 {
    return x;
}
