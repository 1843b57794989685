// GLSL 3.30, 4.3: A variable has one storage qualifier.
#version 330
out vec4 color;
uniform const float a = 1.0; //~ error: `uniform` and `const` do not go together
uniform in float b; //~ error: `uniform` and `in` do not go together
in out float c; //~ error: `in` and `out` do not go together
const const float d = 1.0; //~ error: `const` is repeated
uniform uniform float e; //~ error: `uniform` is repeated

void main() {
    color = vec4(1.0);
}
