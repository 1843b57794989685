// ES 1.00, 5.5: Components are called xyzw, rgba or stpq.
// value: 1 2 3 4
// set v = 1 2 3 4
#version 100
precision mediump float;
uniform vec4 v;

void main() {
    gl_FragColor = vec4(v.x, v.g, v.p, v.w + v.a - v.q);
}
