// GLSL 3.30, 7: There is no other built-in variable.
#version 330
out vec4 color;
void main() {
    float a = gl_Foo; //~ error
    vec4 b = gl_fragCoord; //~ error
    vec4 c = gl_FragColour; //~ error
}
