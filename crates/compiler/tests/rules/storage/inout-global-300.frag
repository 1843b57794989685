#version 300 es
// ES 3.00, 4.3: `inout` belongs to parameters.
precision highp float;
out vec4 color;
inout float a; //~ error: `inout` is not allowed on a variable of the shader

void main() {
    color = vec4(1.0);
}
