// ES 1.00, 5.9: `==` is true where all components are equal, `!=` where any differs.
// value: 1 0 1 1
// set v = 1 2
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    gl_FragColor = vec4(float(v == vec2(1.0, 2.0)), float(v == vec2(1.0, 3.0)), float(v != vec2(1.0, 3.0)), float(!(v != v)));
}
