#version 300 es
// ES 3.00, 6.1: What an unknown function gives fits everywhere.
precision highp float;
out vec4 color;
void main() {
    float a = unknown(1.0); //~ error: there is no function `unknown`
    vec2 b = unknown(1.0).xy * 2.0; //~ error: there is no function `unknown`
    color = vec4(a, b, 1.0);
}
