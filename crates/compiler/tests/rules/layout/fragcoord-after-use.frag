// GLSL 3.30, 4.3.8.1: gl_FragCoord is declared again before its first use.
#version 330
out vec4 color;
float f() { return gl_FragCoord.x; }
layout(origin_upper_left) in vec4 gl_FragCoord; //~ error: `gl_FragCoord` is declared again after its first use

void main() {
    color = vec4(f());
}
