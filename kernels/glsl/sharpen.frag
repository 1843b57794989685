#version 300 es
// A kernel of 3 x 3 from an array of uniforms, over whole elements.
precision highp float;
uniform sampler2D image;
uniform float weights[9];
out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 sum = vec3(0.0);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            sum += weights[(y + 1) * 3 + x + 1] * texelFetch(image, at + ivec2(x, y), 0).rgb; // allow(clamped-fetch)
        }
    }
    color = vec4(clamp(sum, 0.0, 1.0), 1.0);
}
