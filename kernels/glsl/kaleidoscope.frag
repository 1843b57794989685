// Mirrors around a point, by atan and mod.
precision highp float;
varying vec2 vUv;
uniform sampler2D tDiffuse;
uniform float sides, angle;

void main() {
    vec2 p = vUv - 0.5;
    float r = length(p);
    float a = atan(p.y, p.x) + angle;
    float tau = 2.0 * 3.1416;
    a = mod(a, tau / sides);
    a = abs(a - tau / sides / 2.0);
    p = r * vec2(cos(a), sin(a));
    gl_FragColor = texture2D(tDiffuse, p + 0.5); // allow(clamped-fetch)
}
