#version 300 es
// ES 3.00, 6.1: A built-in function is not even declared again.
precision highp float;
out vec4 color;
float sin(float x); //~ error: `sin` is a function of the language, which GLSL ES 3.00 does not let a source declare

void main() {
    color = vec4(1.0);
}
