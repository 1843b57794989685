#version 300 es
// ES 3.00, 6.2: A label occurs only once.
precision highp float;
out vec4 color;
uniform int n;
const int k = 1;

void main() {
    switch (n) {
    case 1:
        break;
    case 2:
        break;
    case k: //~ error: two labels of this `switch` are equal
        break;
    case 4 - 2: //~ error: two labels of this `switch` are equal
        break;
    }
}
