// One step of Jacobi's method for Laplace's equation: every point becomes the mean of its four neighbours.

@group(0) @binding(0) var before: texture_2d<f32>;
@group(0) @binding(1) var after: texture_storage_2d<r32float, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    let left = textureLoad(before, p - vec2(1, 0), 0).r;
    let right = textureLoad(before, p + vec2(1, 0), 0).r;
    let above = textureLoad(before, p - vec2(0, 1), 0).r;
    let below = textureLoad(before, p + vec2(0, 1), 0).r;
    textureStore(after, p, vec4(((left + right) + (above + below)) * 0.25, 0.0, 0.0, 1.0));
}
