// Guard level repaired: the host's instructions flush denormals, but otherwise than the chip.
//
// For hosts whose NaN has another form, or that give 0 for products from 2^-126 - 2^-150 up to
// 2^-126, or for some of them, because they flush before they round or round as if there were no
// smallest exponent. Such products are rare, and so is the branch that looks at them: a point takes
// it for products of 0 and for tiny ones. Sums need no repair, because a sum below 2^-126 is exact.
//
// The shader asks for flushing with SPIR-V's float controls, and forbids contraction. Needs
// float_host.wgsl.

// a * b, flushed. 0 * Inf and NaN give a NaN of any form.
fn x1k_product(a: u32, b: u32) -> u32 {
    let product = x1k_raw_mul(a, b);
    if bitcast<f32>(product) == 0.0 {
        // From 2^-126 to 2^-125, numbers have the places that denormals have. So the fused sum of a
        // tiny product and 2^-126 is rounded as the product should be. Taking 2^-126 off is exact,
        // and flushes all but 2^-126.
        let edge = ((a ^ b) & X1K_SIGN) | X1K_SMALLEST;
        let sum = fma(bitcast<f32>(a), bitcast<f32>(b), bitcast<f32>(edge));
        return product | x1k_raw_add(bitcast<u32>(sum), x1k_neg(edge));
    }
    return product;
}

// a + b, flushed, with a NaN of any form.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    return x1k_raw_add(a, b);
}

// What x1k_product, x1k_add_loose, x1k_sum_special or FRC gave, with the one NaN.
fn x1k_settled(result: u32) -> u32 {
    return x1k_canonical(result);
}

// An operand that the host compares as if denormals were 0.
fn x1k_compared(x: u32) -> u32 {
    return x1k_ftz(x);
}
