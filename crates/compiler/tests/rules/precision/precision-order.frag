#version 300 es
// ES 3.00, 4.7: The precision comes after the storage, before the type.
precision highp float;
out vec4 color;
mediump uniform float a; //~ error: `uniform` comes before `mediump` in GLSL ES 3.00
highp const float b = 1.0; //~ error: `const` comes before `highp` in GLSL ES 3.00
uniform float mediump c; //~ error: expected the name of a variable, found the keyword `mediump`

void main() {
    color = vec4(1.0);
}
