#version 300 es
// ES 3.00, 6.1: A built-in function is neither defined again nor overloaded.
precision highp float;
out vec4 color;
int sin(int x) { return x; } //~ error

void main() {
}
