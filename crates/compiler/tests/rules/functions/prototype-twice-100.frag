// ES 1.00, 6.1: A function is declared once before it is defined.
#version 100
precision mediump float;
float f(float a);
float f(float b); //~ error: `f` is declared already, and GLSL ES 1.00 takes one declaration
float f(float a) { return a + 1.0; }

void main() {
}
