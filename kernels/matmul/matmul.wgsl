// C = A * B in blocks of 4 x 4 numbers a point, as matmul/matmul.dpp. Each output is a row of the block.

@group(0) @binding(0) var a: texture_2d<f32>;
@group(0) @binding(1) var b: texture_2d<f32>;
@group(0) @binding(2) var row0: texture_storage_2d<rgba32float, write>;
@group(0) @binding(3) var row1: texture_storage_2d<rgba32float, write>;
@group(0) @binding(4) var row2: texture_storage_2d<rgba32float, write>;
@group(0) @binding(5) var row3: texture_storage_2d<rgba32float, write>;

const STEPS = 16;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = i32(id.x);
    let row = i32(id.y) * 4;
    var c0 = vec4(0.0);
    var c1 = vec4(0.0);
    var c2 = vec4(0.0);
    var c3 = vec4(0.0);
    for (var k = 0; k < STEPS; k++) {
        let a0 = textureLoad(a, vec2(k, row), 0);
        let a1 = textureLoad(a, vec2(k, row + 1), 0);
        let a2 = textureLoad(a, vec2(k, row + 2), 0);
        let a3 = textureLoad(a, vec2(k, row + 3), 0);
        for (var n = 0; n < 4; n++) {
            let line = textureLoad(b, vec2(column, k * 4 + n), 0);
            c0 += a0[n] * line;
            c1 += a1[n] * line;
            c2 += a2[n] * line;
            c3 += a3[n] * line;
        }
    }
    textureStore(row0, id.xy, c0);
    textureStore(row1, id.xy, c1);
    textureStore(row2, id.xy, c2);
    textureStore(row3, id.xy, c3);
}
