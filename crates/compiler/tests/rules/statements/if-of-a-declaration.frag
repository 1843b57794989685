#version 300 es
// ES 3.00, 6.2: The statement of `if` may be a declaration.
// value: 1 0 0 1
precision highp float;
out vec4 color;
void main() {
    if (true) float a = 1.0;
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
