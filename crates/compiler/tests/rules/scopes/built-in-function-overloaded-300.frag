#version 300 es
// ES 3.00, 6.1: A built-in function is neither defined again nor overloaded.
precision highp float;
out vec4 color;
int sin(int x) { return x; } //~ error: `sin` is a function of the language, which GLSL ES 3.00 does not let a source declare

void main() {
}
