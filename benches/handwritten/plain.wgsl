// Arithmetic as WGSL has it: what the shaders of this folder are made of in mode fast.

alias number = f32;

fn value(x: f32) -> number {
    return x;
}

fn add(a: number, b: number) -> number {
    return a + b;
}

fn sub(a: number, b: number) -> number {
    return a - b;
}

fn mul(a: number, b: number) -> number {
    return a * b;
}

fn mad(a: number, b: number, c: number) -> number {
    return a * b + c;
}

fn dot4(a: vec4<number>, b: vec4<number>) -> number {
    return dot(a, b);
}

fn dot2(a: vec2<number>, b: vec2<number>) -> number {
    return dot(a, b);
}

fn rsq(a: number) -> number {
    return inverseSqrt(a);
}

fn ln2(a: number) -> number {
    return log2(a);
}

// The cosine of whole turns.
fn cosine(a: number) -> number {
    return cos(a * 6.2831855);
}

fn negative(a: number) -> bool {
    return a < 0.0;
}

// The length whose square is a.
fn root(a: number) -> number {
    return select(a * inverseSqrt(a), 0.0, a == 0.0);
}

fn unorm16(bits: u32) -> number {
    return f32(bits) * (1.0 / 65535.0);
}
