#version 300 es
// ES 3.00, 4.3: `in` and `out` do not belong to local variables.
precision highp float;
out vec4 color;
void main() {
    in float a; //~ error
    out float b; //~ error
    inout float c; //~ error
}
