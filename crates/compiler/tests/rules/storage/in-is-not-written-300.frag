#version 300 es
// ES 3.00, 4.3.4: Inputs are not written.
precision highp float;
out vec4 color;
in vec2 uv;
void f(inout vec2 a) { a += 1.0; }

void main() {
    uv.x = 1.0; //~ error: `uv` is an input of the shader, and cannot be written to
    uv *= 2.0; //~ error: `uv` is an input of the shader, and cannot be written to
    f(uv); //~ error: `uv` is an input of the shader, and cannot be written to
}
