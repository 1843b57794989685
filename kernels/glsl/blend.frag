// Overlay and soft light of two pictures, by a macro for each channel.
precision mediump float;
varying vec2 vUv;
uniform sampler2D base, layer;
uniform float opacity;

#define OVERLAY(a, b) ((a) < 0.5 ? 2.0 * (a) * (b) : 1.0 - 2.0 * (1.0 - (a)) * (1.0 - (b)))
#define EACH(f, a, b) vec3(f(a.r, b.r), f(a.g, b.g), f(a.b, b.b))

vec3 softLight(vec3 a, vec3 b) {
    return mix(2.0 * a * b + a * a * (1.0 - 2.0 * b), sqrt(a) * (2.0 * b - 1.0) + 2.0 * a * (1.0 - b), step(0.5, b));
}

void main() {
    vec3 a = texture2D(base, vUv).rgb;
    vec3 b = texture2D(layer, vUv.yx).rgb;
    vec3 mixed = vUv.x < 0.5 ? EACH(OVERLAY, a, b) : softLight(a, b);
    gl_FragColor = vec4(mix(a, mixed, opacity), 1.0);
}
