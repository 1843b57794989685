// ES 1.00, 5.4.2: A vector of numbers from one bool is all 1 or all 0.
// value: 1 1 0 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(vec3(b).xy, float(ivec2(!b).y), vec4(b).w);
}
