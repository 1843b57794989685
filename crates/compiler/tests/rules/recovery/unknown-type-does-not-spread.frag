#version 300 es
// ES 3.00, 4.1: A variable of an unknown type draws no other errors.
precision highp float;
out vec4 color;
void main() {
    Thing a = Thing(1.0); //~ error: there is no type `Thing`
    float b = a.x;
    a.y = 2.0;
    color = vec4(b, a, 1.0, 1.0);
}
