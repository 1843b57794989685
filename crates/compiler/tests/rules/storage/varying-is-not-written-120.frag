// GLSL 1.20, 4.3.6: A fragment shader does not write varyings.
#version 120
varying vec2 uv;
void f(out float a) { a = 1.0; }

void main() {
    uv.x = 1.0; //~ error: `uv` is an input of the shader, and cannot be written to
    uv = vec2(1.0); //~ error: `uv` is an input of the shader, and cannot be written to
    uv.y++; //~ error: `uv` is an input of the shader, and cannot be written to
    f(uv.x); //~ error: `uv` is an input of the shader, and cannot be written to
}
