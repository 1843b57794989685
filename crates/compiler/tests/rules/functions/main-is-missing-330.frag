// GLSL 3.30, 6.1: A shader has a function `main`.
// error on line 1: the shader has no function `main`
#version 330
out vec4 color;
float f() { return 1.0; }
