#version 300 es
// ES 3.00, 4.1.3: There is no suffix for long integers.
precision highp float;
out vec4 color;
void main() {
    int a = 1l; //~ error: `1l` is not a number
    int b = 1L; //~ error: `1L` is not a number
}
