// Guard level 2: the host's 32-bit integer arithmetic and nothing else of it.
//
// Needs float_integers.wgsl. All operands are flushed (see x1k_ftz).

// a * b, flushed, with the one NaN.
fn x1k_product(a: u32, b: u32) -> u32 {
    let x = (a & X1K_FRACTION) | X1K_SMALLEST;
    let y = (b & X1K_FRACTION) | X1K_SMALLEST;
    // 48 bits from 12-bit halves: high * 2^24 + low.
    let middle = (x >> 12u) * (y & 0xfffu) + (x & 0xfffu) * (y >> 12u);
    let low = (x & 0xfffu) * (y & 0xfffu) + ((middle & 0xfffu) << 12u);
    let high = (x >> 12u) * (y >> 12u) + (middle >> 12u) + (low >> 24u);
    // The 32 highest bits; the last one is also set if any lower bit is.
    let zeros = select(8u, 9u, high < X1K_SMALLEST);
    let tail = low & 0x00ffffffu;
    let kept = (high << zeros) | (tail >> (24u - zeros));
    let lost = (tail << (8u + zeros)) != 0u;
    let bits = kept | select(0u, 1u, lost);
    let exponent = bitcast<i32>(((a >> 23u) & 255u) + ((b >> 23u) & 255u) - zeros) - 118;
    return x1k_product_special(a, b, x1k_pack((a ^ b) & X1K_SIGN, exponent, bits));
}

// A flushed number's significand with three guard bits.
fn x1k_significand(x: u32) -> u32 {
    return select(((x & X1K_FRACTION) | X1K_SMALLEST) << 3u, 0u, x1k_is_zero(x));
}

// a + b, flushed, with the one NaN.
fn x1k_add_loose(a: u32, b: u32) -> u32 {
    let swapped = (a & X1K_MAGNITUDE) < (b & X1K_MAGNITUDE);
    let large = select(a, b, swapped);
    let small = select(b, a, swapped);
    let exponent = (large >> 23u) & 255u;
    let distance = min(exponent - ((small >> 23u) & 255u), 31u);
    let whole = x1k_significand(small);
    let shifted = whole >> distance;
    let aligned = shifted | select(0u, 1u, (shifted << distance) != whole);
    let opposed = ((a ^ b) & X1K_SIGN) != 0u;
    let total = x1k_significand(large) + select(aligned, 0u - aligned, opposed);
    let zeros = countLeadingZeros(total) & 31u;
    let first = bitcast<i32>(exponent + 5u) - bitcast<i32>(zeros);
    let number = x1k_pack(large & X1K_SIGN, first, total << zeros);
    return x1k_add_special(a, b, select(number, 0u, total == 0u));
}

// a * b for finite numbers whose product is normal, or tiny where that does not matter.
fn x1k_host_mul(a: u32, b: u32) -> u32 {
    return x1k_product(x1k_ftz(a), x1k_ftz(b));
}

// a + b for finite numbers whose sum is normal or 0.
fn x1k_host_add(a: u32, b: u32) -> u32 {
    return x1k_add_loose(x1k_ftz(a), x1k_ftz(b));
}
