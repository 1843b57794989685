#version 300 es
// ES 3.00, 3.7: There is no `noperspective` in ES 3.00.
precision highp float;
out vec4 color;
noperspective in vec2 a; //~ error: `noperspective` is a keyword of GLSL 1.30, not of GLSL ES 3.00

void main() {
}
