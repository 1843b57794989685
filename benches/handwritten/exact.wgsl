// The chip's arithmetic: the helpers of shaders/float.wgsl under the names of plain.wgsl.

alias number = u32;

fn value(x: f32) -> number {
    return bitcast<u32>(x);
}

fn add(a: number, b: number) -> number {
    return x1k_add(a, b);
}

fn sub(a: number, b: number) -> number {
    return x1k_add(a, x1k_neg(b));
}

fn mul(a: number, b: number) -> number {
    return x1k_mul(a, b, false);
}

fn mad(a: number, b: number, c: number) -> number {
    return x1k_mad(a, b, c, false);
}

fn dot4(a: vec4<number>, b: vec4<number>) -> number {
    return x1k_dp4(a, b, false);
}

// A sum of two products in the order of the chip, as three terms of which one is 0.
fn dot2(a: vec2<number>, b: vec2<number>) -> number {
    return x1k_d2a(a, b, 0u, true);
}

fn rsq(a: number) -> number {
    return x1k_rsq(a);
}

fn ln2(a: number) -> number {
    return x1k_ln2(a);
}

// The cosine of whole turns.
fn cosine(a: number) -> number {
    return x1k_cos(a);
}

fn negative(a: number) -> bool {
    return x1k_compare(1u, a);
}

// The length whose square is a.
fn root(a: number) -> number {
    return x1k_mul(a, x1k_rsq(a), true);
}

fn unorm16(bits: u32) -> number {
    return x1k_from_unorm16(bits);
}
