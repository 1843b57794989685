// ES 1.00, 7: There are no fixed functions.
#version 100
precision mediump float;
void main() {
    vec4 a = gl_Color; //~ error
    vec4 b = gl_TexCoord[0]; //~ error
}
