// ES 1.00, 5.9: `a ? b : c` takes b where a is true, else c.
// value: 1 4 3 2
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(b ? 1.0 : 2.0, !b ? 3.0 : 4.0, (b ? vec2(3.0) : vec2(5.0)).y, float(b ? 2 : 3));
}
