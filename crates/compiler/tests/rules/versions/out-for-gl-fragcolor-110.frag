// GLSL 1.10, 4.3: There are no own outputs: a shader writes gl_FragColor.
#version 110
out vec4 result; //~ error: GLSL 1.10 has no `out` here
void main() {
}
