// ES 1.00, 4.3.4: Uniforms have any type: numbers, vectors, matrices, arrays, structures.
// value: 1.5 2 12 1
// set f = 1.5
// set n = 2
// set b = 1
// set v = 1 2 3
// set m = 1 2 3 4
// set w[0] = 3
// set w[1] = 4
// set s.a = 5
// set s.b = 6 7
#version 100
precision mediump float;
struct S { float a; vec2 b; };
uniform float f;
uniform int n;
uniform bool b;
uniform vec3 v;
uniform mat2 m;
uniform float w[2];
uniform S s;

void main() {
    float sum = v.z + m[1][0] + w[1] + s.a + s.b.y - 10.0;
    gl_FragColor = vec4(f, n == 2 ? 2.0 : 0.0, b ? sum : 0.0, 1.0);
}
