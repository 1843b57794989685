#version 300 es
// ES 3.00, 3.7: Words of other languages that GLSL does not reserve are names.
// value: 1 2 3 4
precision highp float;
out vec4 color;
void main() {
    float float4 = 1.0, auto = 2.0, let = 3.0, new = 4.0;
    float char = 0.0, private = 0.0, null = 0.0, lerp = 0.0, saturate = 0.0, var = 0.0, fn = 0.0;
    color = vec4(float4 + char + private, auto + null, let + lerp + saturate, new + var + fn);
}
