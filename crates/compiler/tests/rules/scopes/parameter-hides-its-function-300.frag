#version 300 es
// ES 3.00, 4.2.2: A parameter may be called like its function.
// value: 3 0 0 1
precision highp float;
out vec4 color;
float f(float f) { return f; }

void main() {
    color = vec4(f(3.0), 0.0, 0.0, 1.0);
}
