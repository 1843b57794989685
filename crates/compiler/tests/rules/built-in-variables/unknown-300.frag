#version 300 es
// ES 3.00, 7: There is no other built-in variable.
precision highp float;
out vec4 color;
void main() {
    float a = gl_Foo; //~ error
    vec4 b = gl_fragCoord; //~ error
    vec4 c = gl_FragColour; //~ error
}
