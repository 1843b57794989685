// GLSL 3.30, 4.7: There is no `precise`.
#version 330
out vec4 color;
precise float a; //~ error: `precise` is a keyword of GLSL 4.00 and GLSL ES 3.20, not of GLSL 3.30

void main() {
    color = vec4(1.0);
}
