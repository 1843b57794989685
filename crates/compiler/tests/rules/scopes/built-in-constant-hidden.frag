// GLSL 3.30, 3.7: Names that begin with `gl_` are not declared, not even to hide.
#version 330
out vec4 color;
void main() {
    int gl_MaxDrawBuffers = 3; //~ error: the name `gl_MaxDrawBuffers` begins with `gl_`
}
