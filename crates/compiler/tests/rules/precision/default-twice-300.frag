#version 300 es
// ES 3.00, 4.5.4: The last default counts.
// value: 1 0 0 1
precision highp float;
out vec4 color;
precision lowp float;
precision highp float;

void main() {
    float a = 1.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
