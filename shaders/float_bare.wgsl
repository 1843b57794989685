// Results before their flush, at guard level 0: its host knows no flush, and the guards on the bits
// make it where it matters.

// A result of x1k_product_unflushed, x1k_product_bare, x1k_add_bare or x1k_sum4_bare, flushed.
fn x1k_flushed(result: u32) -> u32 {
    return x1k_ftz(result);
}

// a * b. 0 * Inf and NaN give a NaN of any form. A sum may be contracted with it.
fn x1k_product_unflushed(a: u32, b: u32) -> u32 {
    return x1k_raw_mul(a, b);
}

// The same, but no sum is contracted with it: the integer operation changes only a NaN.
fn x1k_product_bare(a: u32, b: u32) -> u32 {
    return min(x1k_raw_mul(a, b), 0xfffffffeu);
}

// a + b with a NaN of any form.
fn x1k_add_bare(a: u32, b: u32) -> u32 {
    return x1k_raw_add(a, b);
}
