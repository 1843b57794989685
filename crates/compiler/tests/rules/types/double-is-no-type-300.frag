#version 300 es
// ES 3.00, 4.1: There are no doubles.
precision highp float;
out vec4 color;
void main() {
    double a = 1.0; //~ error: the machine has no `double`
}
