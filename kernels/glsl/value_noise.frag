#version 300 es
// Four octaves of value noise.
precision highp float;
in vec2 vUv;
uniform float scale;
out vec4 color;

float hash(vec2 p) {
    return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43.5453);
}

float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    vec2 u = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), u.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), u.x), u.y);
}

void main() {
    float sum = 0.0, amplitude = 0.5;
    vec2 p = vUv * scale;
    for (int octave = 0; octave < 4; octave++) {
        sum += amplitude * noise(p);
        p = p * 2.0 + 17.0;
        amplitude *= 0.5;
    }
    color = vec4(vec3(sum), 1.0);
}
