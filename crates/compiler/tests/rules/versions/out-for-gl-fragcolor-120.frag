// GLSL 1.20, 4.3: There are no own outputs: a shader writes gl_FragColor.
#version 120
out vec4 result; //~ error: GLSL 1.20 has no `out` here
void main() {
}
