#version 300 es
// ES 3.00, 6.3: The parts of `for` may be missing; no condition is true.
// value: 3 0 0 1
precision highp float;
out vec4 color;
void main() {
    int i = 0;
    for (;;) {
        i++;
        if (i == 3) break;
    }
    color = vec4(i, 0.0, 0.0, 1.0);
}
