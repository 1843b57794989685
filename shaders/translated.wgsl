// The code of translated programs besides the arithmetic and memory.wgsl: variables of a group, elements of
// fixed point, texels. A translation has only what it reaches.

@group(0) @binding(1) var<storage, read> floats: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;

// Values that points exchange. Four exchanges can share their barriers.
var<workgroup> quads: array<u32, 256>;
var<workgroup> parts: array<u32, 64>;
var<workgroup> covered_points: atomic<u32>;

// The value given by the point in slot `slot ^ other`.
fn exchanged(slot: u32, other: u32, given: u32) -> u32 {
    parts[slot] = given;
    workgroupBarrier();
    let taken = parts[slot ^ other];
    workgroupBarrier();
    return taken;
}

// Blue, green, red, alpha in memory.
fn bytes(word: u32) -> vec4<u32> {
    return vec4<u32>(
        x1k_from_unorm8(word >> 16u),
        x1k_from_unorm8(word >> 8u),
        x1k_from_unorm8(word),
        x1k_from_unorm8(word >> 24u),
    );
}

// The two bytes of an element.
fn bytes2(word: u32) -> vec2<u32> {
    return vec2<u32>(x1k_from_unorm8(word), x1k_from_unorm8(word >> 8u));
}

// The two halves of a word.
fn halves2(word: u32) -> vec2<u32> {
    return vec2<u32>(x1k_from_unorm16(word), x1k_from_unorm16(word >> 16u));
}

// The halves of two words.
fn halves4(words: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(halves2(words.x), halves2(words.y));
}

// The texel of a coordinate, 0 to the last one, whose number as a float is `last`.
// Patterns above it are larger numbers and all negative ones; NaN is texel 0.
fn texel_clamped(coordinate: u32, last: u32) -> u32 {
    let inside = bitcast<f32>(min(coordinate, last));
    let whole = bitcast<u32>(floor(inside) + 8388608.0) & 0x7fffffu;
    return select(whole, 0u, coordinate > 0x7f800000u);
}

// The texel after texel x of a coordinate. Left of the edge it is the first one.
fn texel_after(coordinate: u32, x: u32, last: u32) -> u32 {
    let negative = (coordinate > 0x80000000u) & (coordinate <= 0xff800000u);
    return select(min(x + 1u, last), 0u, negative);
}

// The texel of a whole coordinate on a surface that repeats.
fn whole_repeated(coordinate: i32, size: i32) -> u32 {
    let rest = coordinate % size;
    return bitcast<u32>(select(rest, rest + size, rest < 0));
}
