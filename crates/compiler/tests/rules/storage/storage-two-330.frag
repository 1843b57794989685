// GLSL 3.30, 4.3: A variable has one storage qualifier.
#version 330
out vec4 color;
uniform const float a = 1.0; //~ error: `uniform` and `const` cannot be combined
uniform in float b; //~ error: `uniform` and `in` cannot be combined
in out float c; //~ error: `in` and `out` cannot be combined
const const float d = 1.0; //~ error: `const` is repeated
uniform uniform float e; //~ error: `uniform` is repeated

void main() {
    color = vec4(1.0);
}
