// ES 1.00, 4.3.5: A fragment shader does not write varyings.
#version 100
precision mediump float;
varying vec2 uv;
void f(out float a) { a = 1.0; }

void main() {
    uv.x = 1.0; //~ error: `uv` is an input of the shader, and cannot be written to
    uv = vec2(1.0); //~ error: `uv` is an input of the shader, and cannot be written to
    uv.y++; //~ error: `uv` is an input of the shader, and cannot be written to
    f(uv.x); //~ error: `uv` is an input of the shader, and cannot be written to
}
