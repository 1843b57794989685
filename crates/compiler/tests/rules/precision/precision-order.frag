#version 300 es
// ES 3.00, 4.7: The precision stands after the storage, before the type.
precision highp float;
out vec4 color;
mediump uniform float a; //~ error
highp const float b = 1.0; //~ error
uniform float mediump c; //~ error

void main() {
    color = vec4(1.0);
}
