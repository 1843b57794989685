// A step of Jacobi's method: every inner point becomes the mean of its four neighbours. WIDTH and
// HEIGHT are points with the border.

@group(0) @binding(0) var<storage, read> before: array<number>;
@group(0) @binding(1) var<storage, read_write> after: array<number>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= WIDTH - 2u || at.y >= HEIGHT - 2u {
        return;
    }
    let index = (at.y + 1u) * WIDTH + at.x + 1u;
    let across = add(before[index - 1u], before[index + 1u]);
    let down = add(before[index - WIDTH], before[index + WIDTH]);
    after[index] = mul(add(across, down), value(0.25));
}
