// RCP and RSQ from the host's own 1 / x and inverseSqrt, for guard levels 0 and preserved: they replace
// those of float.wgsl where the probe has compared the two for every fraction.
//
// WGSL promises neither the accuracy of the seeds nor that fma rounds once. With one rounding, any seed
// within 3 units in the last place gives the nearest number.

// A number that no compiler takes apart: see x1k_hold.
fn x1k_held(x: f32) -> f32 {
    return bitcast<f32>(x1k_hold(bitcast<u32>(x)));
}

// The NaN may have any form.
fn x1k_rcp_loose(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let seed = x1k_held(1.0 / x);
    let y = fma(fma(-x, seed, 1.0), seed, seed);
    // 1 / x is y + y * (e + e^2 + ...), and e is exact. e^2 matters for one fraction, 0x7fffff; the
    // sum below is near enough to it for all.
    let e = fma(-x, y, 1.0);
    let r = bitcast<u32>(fma(fma(abs(e), 0x1.8p-24f, e), y, y));
    let zero = x1k_is_zero(a);
    let edge = (a & X1K_SIGN) | select(0u, X1K_INFINITY, zero);
    return select(r, edge, zero | (abs(x) > 0x1p126f));
}

fn x1k_rcp(a: u32) -> u32 {
    return x1k_settled(x1k_rcp_loose(a));
}

// The NaN may have any form.
fn x1k_rsq_loose(a: u32) -> u32 {
    let x = bitcast<f32>(a);
    let seed = x1k_held(inverseSqrt(x));
    let y = fma(fma(-0.5 * seed, x1k_held(x * seed), 0.5), seed, seed);
    // e is 1 - x * y^2, with x * y in two parts. 1 / sqrt(x) is y + y * (e / 2 + 3 / 8 * e^2 + ...).
    // e^2 matters for one number, 4 - 2^-22; half of it is near enough to 3 / 8 for all.
    let root = x1k_held(x * y);
    let e = fma(-fma(x, y, -root), y, fma(-root, y, 1.0));
    let r = bitcast<u32>(fma(fma(e, e, e), 0.5 * y, y));
    let finite = select(r, 0u, a == X1K_INFINITY);
    return select(finite, (a & X1K_SIGN) | X1K_INFINITY, x1k_is_zero(a));
}

fn x1k_rsq(a: u32) -> u32 {
    return x1k_settled(x1k_rsq_loose(a));
}
