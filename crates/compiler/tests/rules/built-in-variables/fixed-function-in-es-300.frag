#version 300 es
// ES 3.00, 7: There are no fixed functions.
precision highp float;
out vec4 color;
void main() {
    vec4 a = gl_Color; //~ error
    vec4 b = gl_TexCoord[0]; //~ error
}
