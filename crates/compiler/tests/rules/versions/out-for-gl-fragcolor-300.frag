#version 300 es
// ES 3.00, 4.3.6: A shader declares its outputs.
// value: 1 0 0 1
precision highp float;
out vec4 result;
void main() {
    result = vec4(1.0, 0.0, 0.0, 1.0);
}
