#version 300 es
// ES 3.00, 5.4.4: A constructor may be a statement, without an effect.
// value: 1 0 0 1
precision highp float;
out vec4 color;
void main() {
    float[2](1.0, 2.0);
    vec2(1.0, 2.0);
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
