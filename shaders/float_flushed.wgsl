// The functions of float_bare.wgsl at all other guard levels: products and sums come flushed there, so
// there is nothing to leave out.

fn x1k_flushed(result: u32) -> u32 {
    return result;
}

fn x1k_product_unflushed(a: u32, b: u32) -> u32 {
    return x1k_product(a, b);
}

fn x1k_product_bare(a: u32, b: u32) -> u32 {
    return x1k_product(a, b);
}

fn x1k_add_bare(a: u32, b: u32) -> u32 {
    return x1k_add_loose(a, b);
}
