// A time step of gravity: every point sums up the pull of 256 bodies on it. WIDTH and HEIGHT are
// points; those beyond the 16 x 16 bodies stand where the last of their row or column stands.

@group(0) @binding(0) var<storage, read> bodies: array<vec4<number>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<number>>;
@group(0) @binding(2) var<storage, read_write> moved: array<vec4<number>>;
@group(0) @binding(3) var<storage, read_write> sped: array<vec4<number>>;

const DT: f32 = 0.015625;
const SOFT: f32 = 0.125;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let me = bodies[min(at.y, 15u) * 16u + min(at.x, 15u)];
    var pull = vec3<number>();
    for (var row = 0u; row < 16u; row++) {
        for (var column = 0u; column < 16u; column++) {
            let other = bodies[row * 16u + column];
            let away = vec4(sub(other.x, me.x), sub(other.y, me.y), sub(other.z, me.z), value(SOFT));
            let near = rsq(dot4(away, away));
            let weight = mul(mul(other.w, near), mul(near, near));
            pull = vec3(
                mad(away.x, weight, pull.x),
                mad(away.y, weight, pull.y),
                mad(away.z, weight, pull.z),
            );
        }
    }
    let index = at.y * WIDTH + at.x;
    let old = velocities[index];
    let dt = value(DT);
    let v = vec3(mad(pull.x, dt, old.x), mad(pull.y, dt, old.y), mad(pull.z, dt, old.z));
    sped[index] = vec4(v, old.w);
    moved[index] = vec4(mad(v.x, dt, me.x), mad(v.y, dt, me.y), mad(v.z, dt, me.z), me.w);
}
