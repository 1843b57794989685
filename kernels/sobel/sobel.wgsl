// Sobel edge detection, as sobel/sobel.dpp, whose input gives four texels a fetch (tiling LINEAR_INP_2X2):
// r (x+1, y), g (x, y+1), b (x+1, y+1), a (x, y). Output `edges` is the gradient's length / 2.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var edges: texture_storage_2d<r32float, write>;
@group(0) @binding(2) var gradient: texture_storage_2d<rg32float, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    let nw = textureLoad(picture, p - 1, 0); // allow(clamped-fetch)
    let ne = textureLoad(picture, p - vec2(0, 1), 0).r; // allow(clamped-fetch)
    let sw = textureLoad(picture, p - vec2(1, 0), 0).g; // allow(clamped-fetch)
    let se = textureLoad(picture, p, 0); // allow(clamped-fetch)
    let slope = (se.rg - nw.gr) * 2.0 + (vec2(ne, sw) - vec2(sw, ne)) + (se.b - nw.a);
    let square = dot(slope, slope);
    textureStore(gradient, p, vec4(slope, 0.0, 0.0));
    textureStore(edges, p, vec4(square * inverseSqrt(square) * 0.5)); // allow(not-finite)
}
