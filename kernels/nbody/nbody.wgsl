// One time step of gravity among 256 bodies, as nbody/nbody.dpp: 16 x 16 elements (x, y, z, mass).

struct Step { dt: f32, eps: f32 }

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var bodies: texture_2d<f32>;
@group(0) @binding(2) var velocities: texture_2d<f32>;
@group(0) @binding(3) var moved: texture_storage_2d<rgba32float, write>;
@group(0) @binding(4) var sped: texture_storage_2d<rgba32float, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let me = textureLoad(bodies, id.xy, 0);
    var pull = vec3(0.0);
    for (var row = 0; row < 16; row++) {
        for (var column = 0; column < 16; column++) {
            let other = textureLoad(bodies, vec2(column, row), 0);
            let away = vec4(other.xyz - me.xyz, step.eps);
            let near = inverseSqrt(dot(away, away));
            pull += away.xyz * (other.w * near * (near * near));
        }
    }
    let velocity = textureLoad(velocities, id.xy, 0).xyz + pull * step.dt;
    textureStore(sped, id.xy, vec4(velocity, 0.0));
    textureStore(moved, id.xy, vec4(me.xyz + velocity * step.dt, me.w));
}
