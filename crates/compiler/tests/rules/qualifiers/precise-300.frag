#version 300 es
// ES 3.00, 4.7: There is no `precise`.
precision highp float;
out vec4 color;
precise float a; //~ error: `precise` is a keyword of GLSL 4.00 and GLSL ES 3.20, not of GLSL ES 3.00

void main() {
    color = vec4(1.0);
}
