// ES 1.00, 5.4.2: A vector converts every component that it takes.
// value: 1 2 0 1
// set v = 1.9 2.9
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    ivec2 i = ivec2(v);
    bvec2 b = bvec2(0.0, 3);
    gl_FragColor = vec4(i, b);
}
