#version 300 es
// ES 3.00, 6.2: Every case may return.
// value: 1 2 3 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;
float f(int k) {
    switch (k) {
    case 1: return 1.0;
    case 2: return 2.0;
    default: return 3.0;
    }
}

void main() {
    color = vec4(f(n), f(n + 1), f(n + 2), 1.0);
}
