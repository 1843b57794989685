#version 300 es
// ES 3.00, 4.7: There is no `precise`.
precision highp float;
out vec4 color;
precise float a; //~ error

void main() {
    color = vec4(1.0);
}
