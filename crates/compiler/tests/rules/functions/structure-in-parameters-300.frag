#version 300 es
// ES 3.00, 6.1: Neither a parameter nor a result declares a structure.
precision highp float;
out vec4 color;
float f(struct S { float m; } s) { //~ error: a function's declaration declares no structure
    return s.m;
}
struct T { float m; } g() { //~ error: a function's declaration declares no structure
    return T(1.0);
}

void main() {
    color = vec4(1.0);
}
