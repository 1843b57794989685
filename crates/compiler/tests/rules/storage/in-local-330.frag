// GLSL 3.30, 4.3: `in` and `out` do not belong to local variables.
#version 330
out vec4 color;
void main() {
    in float a; //~ error
    out float b; //~ error
    inout float c; //~ error
}
