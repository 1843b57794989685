#version 300 es
// ES 3.00, 5.9: The machine shifts by constants only.
precision highp float;
out vec4 color;
uniform int a, b;

void main() {
    int c = a << b; //~ error
    int d = a >> b; //~ error
    color = vec4(c + d);
}
