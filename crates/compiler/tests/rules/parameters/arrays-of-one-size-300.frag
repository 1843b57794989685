#version 300 es
// ES 3.00, 4.1.9: An argument that is an array has the parameter's size.
precision highp float;
out vec4 color;
float f(float a[2]) { return a[0]; }

void main() {
    float a[3];
    float b = f(a); //~ error: no function `f` takes (float[3])
    float c = f(1.0); //~ error: no function `f` takes (float)
}
