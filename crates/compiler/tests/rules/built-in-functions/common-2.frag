// ES 1.00, 8.3: mod, min, max, clamp, mix, step take a float or a vector beside a vector.
// value: 0.5 1 3 2
// set v = 2.5 4
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    gl_FragColor = vec4(mod(v, 2.0).x, min(v, 1.0).y, clamp(v, 1.0, 3.0).y, mix(vec2(1.0), vec2(3.0), 0.5).x * step(v, vec2(3.0)).x);
}
