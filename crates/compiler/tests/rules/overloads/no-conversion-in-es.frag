#version 300 es
// ES 3.00, 6.1: In ES a call fits exactly.
precision highp float;
out vec4 color;
float f(float a) { return 1.0; }
float f(vec2 a) { return 2.0; }

void main() {
    float a = f(1); //~ error: no function `f` takes (int)
    float b = f(ivec2(1)); //~ error: no function `f` takes (ivec2)
}
