#version 300 es
// ES 3.00, 6.2: `default` may appear anywhere; it falls through as cases do.
// value: 92 2 1 1
// set n = 2
precision highp float;
out vec4 color;
uniform int n;
float run(int k) {
    float a = 0.0;
    switch (k) {
    case 1:
        a = a * 10.0 + 1.0;
        break;
    default:
        a = a * 10.0 + 9.0;
    case 2:
        a = a * 10.0 + 2.0;
    }
    return a;
}

void main() {
    color = vec4(run(n + 5), run(n), run(n - 1), 1.0);
}
