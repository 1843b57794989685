// ES 1.00, 5.10: Swizzles of constants are constants.
// value: 3 2 1 3
#version 100
precision mediump float;
const vec3 v = vec3(1.0, 2.0, 3.0);
const vec3 w = v.zyx;

void main() {
    gl_FragColor = vec4(w, v.zz.x);
}
