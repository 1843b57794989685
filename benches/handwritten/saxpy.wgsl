// result = a * x + y, four numbers to an element. WIDTH and HEIGHT are elements.

@group(0) @binding(0) var<storage, read> x: array<vec4<number>>;
@group(0) @binding(1) var<storage, read> y: array<vec4<number>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<number>>;

const FACTOR: f32 = 2.7182817;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let a = value(FACTOR);
    let index = at.y * WIDTH + at.x;
    let p = x[index];
    let q = y[index];
    result[index] = vec4(mad(a, p.x, q.x), mad(a, p.y, q.y), mad(a, p.z, q.z), mad(a, p.w, q.w));
}
