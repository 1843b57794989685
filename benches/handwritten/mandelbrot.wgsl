// Steps that z = z * z + c takes to leave a circle, and a colour for them. WIDTH and HEIGHT are
// points.

@group(0) @binding(0) var<storage, read_write> picture: array<vec4<number>>;
@group(0) @binding(1) var<storage, read_write> steps: array<number>;

const LEFT: f32 = -2.3;
const TOP: f32 = -1.152;
const STEP: f32 = 0.003;

fn shade(smooth_count: number, phase: f32) -> number {
    let turns = mad(smooth_count, value(0.04), value(phase));
    return mad(cosine(turns), value(0.5), value(0.5));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let seed_x = mad(value(f32(at.x)), value(STEP), value(LEFT));
    let seed_y = mad(value(f32(at.y)), value(STEP), value(TOP));
    var x = value(0.0);
    var y = value(0.0);
    var count = value(0.0);
    var size = value(0.0);
    for (var n = 0u; n < 128u; n++) {
        let xx = mul(x, x);
        let yy = mul(y, y);
        let xy = mul(x, y);
        count = add(count, value(1.0));
        size = add(xx, yy);
        x = add(sub(xx, yy), seed_x);
        y = add(mul(xy, value(2.0)), seed_y);
        if !negative(sub(size, value(256.0))) {
            break;
        }
    }
    let outside = !negative(sub(size, value(256.0)));
    let overshoot = ln2(mul(ln2(size), value(0.125)));
    let smooth_count = sub(count, overshoot);
    let black = value(0.0);
    let index = at.y * WIDTH + at.x;
    picture[index] = vec4(
        select(black, shade(smooth_count, 0.42), outside),
        select(black, shade(smooth_count, 0.52), outside),
        select(black, shade(smooth_count, 0.62), outside),
        value(1.0),
    );
    steps[index] = count;
}
