// ES 1.00, 7: There is no other built-in variable.
#version 100
precision mediump float;
void main() {
    float a = gl_Foo; //~ error
    vec4 b = gl_fragCoord; //~ error
    vec4 c = gl_FragColour; //~ error
}
