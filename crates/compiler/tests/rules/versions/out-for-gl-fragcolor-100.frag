// ES 1.00, 4.3: There are no own outputs: a shader writes gl_FragColor.
#version 100
precision mediump float;
out vec4 result; //~ error: GLSL ES 1.00 has no `out` here
void main() {
}
