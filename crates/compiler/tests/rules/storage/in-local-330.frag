// GLSL 3.30, 4.3: `in` and `out` do not belong to local variables.
#version 330
out vec4 color;
void main() {
    in float a; //~ error: `in` is not allowed on a variable of a function
    out float b; //~ error: `out` is not allowed on a variable of a function
    inout float c; //~ error: `inout` is not allowed on a variable of a function
}
