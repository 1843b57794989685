// ES 1.00, 4.3: In OpenGL ES a global variable has a constant expression as its initial value.
#version 100
precision mediump float;
uniform float u;
float f() { return 4.0; }
float a = u + 1.0; //~ error: in GLSL ES 1.00 the initial value of a variable of the shader is a constant expression
float b = f(); //~ error: in GLSL ES 1.00 the initial value of a variable of the shader is a constant expression
float c = sin(u); //~ error: in GLSL ES 1.00 the initial value of a variable of the shader is a constant expression
float d = 2.0;
float e = d; //~ error: in GLSL ES 1.00 the initial value of a variable of the shader is a constant expression

void main() {
}
