#version 300 es
// ES 3.00, 4.1.3: There are unsigned integers.
// value: 3 0 0 1
precision highp float;
out vec4 color;
void main() {
    uint a = uint(3);
    color = vec4(float(a), 0.0, 0.0, 1.0);
}
