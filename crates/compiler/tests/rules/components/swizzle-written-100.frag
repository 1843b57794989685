// ES 1.00, 5.5: A swizzle of a variable can be written.
// value: 9 8 3 7
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.yx = vec2(8.0, 9.0);
    v.w = 7.0;
    gl_FragColor = v;
}
