#version 300 es
// ES 3.00, 6.2: A case may have several labels.
// value: 1 1 2 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;
float run(int k) {
    switch (k) {
    case 1:
    case 2:
        return 1.0;
    default:
        return 2.0;
    }
    return 3.0;
}

void main() {
    color = vec4(run(n), run(n + 1), run(n + 2), 1.0);
}
