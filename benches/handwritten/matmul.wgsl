// C = A * B for square matrices, four columns to an element, 4 x 4 numbers of C a point. WIDTH and
// HEIGHT are points, so the matrices have 4 * WIDTH rows of WIDTH elements.

@group(0) @binding(0) var<storage, read> a: array<vec4<number>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<number>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<number>>;

fn mad4(a: number, b: vec4<number>, c: vec4<number>) -> vec4<number> {
    return vec4(mad(a, b.x, c.x), mad(a, b.y, c.y), mad(a, b.z, c.z), mad(a, b.w, c.w));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let row = 4u * at.y;
    var c0 = vec4<number>();
    var c1 = vec4<number>();
    var c2 = vec4<number>();
    var c3 = vec4<number>();
    for (var k = 0u; k < WIDTH; k++) {
        let a0 = a[row * WIDTH + k];
        let a1 = a[(row + 1u) * WIDTH + k];
        let a2 = a[(row + 2u) * WIDTH + k];
        let a3 = a[(row + 3u) * WIDTH + k];
        let b0 = b[4u * k * WIDTH + at.x];
        let b1 = b[(4u * k + 1u) * WIDTH + at.x];
        let b2 = b[(4u * k + 2u) * WIDTH + at.x];
        let b3 = b[(4u * k + 3u) * WIDTH + at.x];
        c0 = mad4(a0.x, b0, c0);
        c1 = mad4(a1.x, b0, c1);
        c2 = mad4(a2.x, b0, c2);
        c3 = mad4(a3.x, b0, c3);
        c0 = mad4(a0.y, b1, c0);
        c1 = mad4(a1.y, b1, c1);
        c2 = mad4(a2.y, b1, c2);
        c3 = mad4(a3.y, b1, c3);
        c0 = mad4(a0.z, b2, c0);
        c1 = mad4(a1.z, b2, c1);
        c2 = mad4(a2.z, b2, c2);
        c3 = mad4(a3.z, b2, c3);
        c0 = mad4(a0.w, b3, c0);
        c1 = mad4(a1.w, b3, c1);
        c2 = mad4(a2.w, b3, c2);
        c3 = mad4(a3.w, b3, c3);
    }
    c[row * WIDTH + at.x] = c0;
    c[(row + 1u) * WIDTH + at.x] = c1;
    c[(row + 2u) * WIDTH + at.x] = c2;
    c[(row + 3u) * WIDTH + at.x] = c3;
}
