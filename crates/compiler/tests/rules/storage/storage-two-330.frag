// GLSL 3.30, 4.3: A variable has one storage qualifier.
#version 330
out vec4 color;
uniform const float a = 1.0; //~ error
uniform in float b; //~ error
in out float c; //~ error
const const float d = 1.0; //~ error
uniform uniform float e; //~ error

void main() {
    color = vec4(1.0);
}
