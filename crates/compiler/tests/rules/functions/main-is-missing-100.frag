// ES 1.00, 6.1: A shader has a function `main`.
// error on line 1: the shader has no function `main`
#version 100
precision mediump float;
float f() { return 1.0; }
