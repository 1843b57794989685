#version 300 es
// ES 3.00, 6.2: There is one `default`.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    default:
        break;
    case 1:
        break;
    default: //~ error: two labels of this `switch` are equal
        break;
    }
}
