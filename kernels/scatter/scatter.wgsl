// Bit reversal permutation of 4096 elements, stored as 64 x 64, as scatter.dpp: the element with the number
// n = 64 j + i goes to the number whose 12 bits are those of n in reverse order.
//
// A store elsewhere than at the point's own place makes all writes of the program uncached.

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> permuted: array<f32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // Both halves of the number are six bits long, and reversed they change places.
    var rest = id.yx;
    var place = vec2(0u);
    for (var bit = 0; bit < 6; bit++) {
        place = place * 2u + rest % 2u;
        rest = rest / 2u;
    }
    permuted[place.y * 64u + place.x] = data[id.y * 64u + id.x];
}
