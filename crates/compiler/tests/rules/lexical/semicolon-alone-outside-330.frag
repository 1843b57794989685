// GLSL 3.30, 9: A semicolon alone is no declaration.
#version 330
out vec4 color;
; //~ error

void main() {
    color = vec4(1.0);
}
