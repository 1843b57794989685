#version 300 es
// ES 3.00, 6.2: Labels may be negative.
// value: 7 0 0 1
// set n = -2
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case -2:
        a = 7.0;
        break;
    case 2:
        a = 8.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
