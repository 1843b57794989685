// A WGSL fragment shader: rings of a wave.
struct Settings { center: vec2<f32>, waves: f32 }
@group(0) @binding(0) var<uniform> settings: Settings;

@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let d = distance(uv, settings.center);
    let ring = 0.5 + 0.5 * sin(d * settings.waves);
    return vec4<f32>(ring, ring * (1.0 - d), d, 1.0);
}
