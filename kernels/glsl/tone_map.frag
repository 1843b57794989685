// The ACES curve as fitted by a quotient of polynomials, and gamma.
precision mediump float;
varying vec2 vUv;
uniform sampler2D hdr;
uniform float exposure;

vec3 aces(vec3 x) {
    const float a = 2.51, b = 0.03, c = 2.43, d = 0.59, e = 0.14;
    return clamp((x * (a * x + b)) / (x * (c * x + d) + e), 0.0, 1.0);
}

void main() {
    vec3 color = texture2D(hdr, vUv).rgb * exposure;
    gl_FragColor = vec4(pow(aces(color), vec3(1.0 / 2.2)), 1.0);
}
