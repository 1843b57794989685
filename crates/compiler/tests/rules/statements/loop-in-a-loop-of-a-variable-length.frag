#version 300 es
// ES 3.00, 6.3: The length of a loop may depend on another counter.
// value: 6 0 0 1
precision highp float;
out vec4 color;
void main() {
    float n = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) n += 1.0;
    }
    color = vec4(n, 0.0, 0.0, 1.0);
}
