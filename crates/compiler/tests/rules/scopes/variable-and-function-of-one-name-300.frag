#version 300 es
// ES 3.00, 4.2.2: Variables, functions and types of one scope have different names.
precision highp float;
out vec4 color;
float a = 1.0;
float a() { return 1.0; } //~ error
float b() { return 1.0; }
float b = 1.0; //~ error

void main() {
    color = vec4(1.0);
}
