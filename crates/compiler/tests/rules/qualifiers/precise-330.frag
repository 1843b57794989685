// GLSL 3.30, 4.7: There is no `precise`.
#version 330
out vec4 color;
precise float a; //~ error

void main() {
    color = vec4(1.0);
}
