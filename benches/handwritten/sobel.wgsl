// Sobel edges of a 16-bit picture, two texels to a word; beyond the edge the texel at the edge
// counts. WIDTH and HEIGHT are texels.

@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read_write> edges: array<number>;
@group(0) @binding(2) var<storage, read_write> gradient: array<vec2<number>>;

fn texel(x: u32, y: u32) -> number {
    let word = picture[(y * WIDTH + x) >> 1u];
    return unorm16((word >> ((x & 1u) << 4u)) & 0xffffu);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let west = max(at.x, 1u) - 1u;
    let east = min(at.x + 1u, WIDTH - 1u);
    let north = max(at.y, 1u) - 1u;
    let south = min(at.y + 1u, HEIGHT - 1u);
    let falling = sub(texel(east, south), texel(west, north));
    let rising = sub(texel(east, north), texel(west, south));
    let across = sub(texel(east, at.y), texel(west, at.y));
    let down = sub(texel(at.x, south), texel(at.x, north));
    let gx = add(mad(across, value(2.0), rising), falling);
    let gy = add(mad(down, value(2.0), sub(texel(west, south), texel(east, north))), falling);
    let index = at.y * WIDTH + at.x;
    gradient[index] = vec2(gx, gy);
    let slope = vec2(gx, gy);
    edges[index] = mul(root(dot2(slope, slope)), value(0.5));
}
