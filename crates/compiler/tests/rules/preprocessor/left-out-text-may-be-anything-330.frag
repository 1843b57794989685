// GLSL 3.30, 3.3: In a group that is left out only conditions are read.
// value: 1 0 0 1
#version 330
out vec4 color;
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
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
