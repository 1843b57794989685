#version 300 es
// ES 3.00, 6.2: `=` in a condition assigns, and gives no bool.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    int a = n;
    if (a = 1) {} //~ error: the condition of `if` is of type `int`; expected `bool`
}
