// ES 1.00, 5.1: `?` binds from the right: a ? b : c ? d : e is a ? b : (c ? d : e).
// value: 2 3 1 1
// set a = 0
// set b = 1
#version 100
precision mediump float;
uniform bool a, b;

void main() {
    gl_FragColor = vec4(a ? 1.0 : b ? 2.0 : 3.0, a ? 1.0 : a ? 2.0 : 3.0, b ? a ? 2.0 : 1.0 : 3.0, 1.0);
}
