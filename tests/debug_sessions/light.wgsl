@group(0) @binding(0) var<uniform> gain: f32;

fn shade(t: f32) -> f32 {
    let lit = t * gain;
    return lit * lit + t;
}

@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let place = uv * 2.0 - 1.0;
    let steps = 3.0;
    var sum = shade(place.x);
    if (place.y > 0.0) {
        sum = sum + steps;
    }
    let root = sqrt(abs(sum)) + place.y;
    return vec4<f32>(place, root * root, sum);
}
