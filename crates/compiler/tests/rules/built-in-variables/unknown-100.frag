// ES 1.00, 7: There is no other built-in variable.
#version 100
precision mediump float;
void main() {
    float a = gl_Foo; //~ error: the built-in `gl_Foo` is not available
    vec4 b = gl_fragCoord; //~ error: the built-in `gl_fragCoord` is not available
    vec4 c = gl_FragColour; //~ error: the built-in `gl_FragColour` is not available
}
