#version 300 es
// ES 3.00, 4.4: A parameter is no uniform and no input.
precision highp float;
out vec4 color;
float f(uniform float a) { return a; } //~ error: `uniform` is not allowed on a parameter
float g(attribute float a) { return a; } //~ error: `attribute` is a keyword of GLSL 1.10 and GLSL ES 1.00, not of GLSL ES 3.00

void main() {
    color = vec4(1.0);
}
