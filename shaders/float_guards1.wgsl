// Guard level 1: the host's arithmetic sees only finite numbers of middling size.
//
// Integers decide zeros, Inf, NaN, overflow and results next to the smallest normal. So the host may
// flush denormals and need not support Inf or NaN. It must round sums and products of normal numbers
// to nearest even, and neither contract nor reassociate through integer operations.
//
// Needs float_integers.wgsl. All operands are flushed (see x1k_ftz).

// a * b, flushed, with the one NaN. The significands are multiplied as numbers from 1 to 2.
fn x1k_product(a: u32, b: u32) -> u32 {
    let x = (a & X1K_FRACTION) | X1K_ONE;
    let y = (b & X1K_FRACTION) | X1K_ONE;
    let p = x1k_host_mul(x, y);
    let exponent = bitcast<i32>(((a >> 23u) & 255u) + ((b >> 23u) & 255u) + (p >> 23u)) - 254;
    let sign = (a ^ b) & X1K_SIGN;
    let normal = (bitcast<u32>(exponent) << 23u) | (p & X1K_FRACTION);
    let bounded = select(normal, X1K_INFINITY, exponent > 254);
    // From 2^-126 - 2^-150 on a subnormal rounds up to 2^-126, and p may have been rounded up to that.
    // The exact product is near it, so the low 32 bits of the difference determine it.
    let exact = ((a & X1K_FRACTION) | X1K_SMALLEST) * ((b & X1K_FRACTION) | X1K_SMALLEST);
    let beyond = bitcast<i32>(exact - (0x00ffffffu << (((p >> 23u) - 104u) & 31u))) >= 0;
    let border = (exponent == 0) & ((p & X1K_FRACTION) == X1K_FRACTION) & beyond;
    let size = select(bounded, select(0u, X1K_SMALLEST, border), exponent < 1);
    return x1k_product_special(a, b, sign | size);
}

// A number with its exponent moved so that `largest` becomes 128; 0 if the result is too small.
fn x1k_centred(x: u32, largest: u32) -> u32 {
    let exponent = bitcast<i32>((x >> 23u) & 255u);
    let centred = exponent + 128 - bitcast<i32>(largest);
    let number = (x & ~X1K_EXPONENT) | (bitcast<u32>(centred) << 23u);
    return select(number, x & X1K_SIGN, (exponent == 0) | (centred < 1));
}

// a + b, flushed, with the one NaN. Both are scaled so that their sum is normal or 0.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    let largest = max((a >> 23u) & 255u, (b >> 23u) & 255u);
    let x = x1k_centred(a, largest);
    let y = x1k_centred(b, largest);
    let s = x1k_host_add(x, y);
    let exponent = bitcast<i32>(((s >> 23u) & 255u) + largest) - 128;
    let sign = s & X1K_SIGN;
    let normal = (bitcast<u32>(exponent) << 23u) | (s & X1K_FRACTION);
    // A sum below the normals is exact: it needs only the flush.
    let size = select(select(normal, X1K_INFINITY, exponent > 254), 0u, exponent < 1);
    let finite = select(sign | size, 0u, (s & X1K_MAGNITUDE) == 0u);
    return x1k_add_special(a, b, finite);
}

// a * b for finite numbers whose product is normal, or tiny where that does not matter.
fn x1k_host_mul(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) * bitcast<f32>(b));
}

// a + b for finite numbers whose sum is normal or 0.
fn x1k_host_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b));
}
