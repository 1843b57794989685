// The sum, maximum and minimum of blocks of 4 x 4 elements, as reduce/blocks.dpp.

@group(0) @binding(0) var field: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<rgba32float, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let corner = vec2<i32>(id.xy) * 4;
    var found = vec3(0.0, -1000.0, 1000.0);
    for (var row = 0; row < 4; row++) {
        for (var column = 0; column < 4; column++) {
            let part = textureLoad(field, corner + vec2(column, row), 0);
            found = vec3(found.x + part.x, max(found.y, part.y), min(found.z, part.z));
        }
    }
    textureStore(result, id.xy, vec4(found, 0.0));
}
