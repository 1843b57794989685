#version 300 es
// ES 3.00, 4.3: `in` and `out` do not belong to local variables.
precision highp float;
out vec4 color;
void main() {
    in float a; //~ error: `in` is not allowed on a variable of a function
    out float b; //~ error: `out` is not allowed on a variable of a function
    inout float c; //~ error: `inout` is not allowed on a variable of a function
}
