// ES 1.00, 4.3: In OpenGL ES a global variable has a constant expression as its initial value.
#version 100
precision mediump float;
uniform float u;
float f() { return 4.0; }
float a = u + 1.0; //~ error
float b = f(); //~ error
float c = sin(u); //~ error
float d = 2.0;
float e = d; //~ error

void main() {
}
