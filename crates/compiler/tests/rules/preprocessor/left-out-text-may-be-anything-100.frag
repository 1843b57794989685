// ES 1.00, 3.4: In a group that is left out only conditions are read.
// value: 1 0 0 1
#version 100
precision mediump float;
#if 0
this is " not ' @ a shader
#foo
#error no
#define
#line
#version 9
#extension
#if garbage ( (
#elif 1.0 +
#endif
#endif

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
