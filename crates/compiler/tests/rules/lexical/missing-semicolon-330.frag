// GLSL 3.30, 9: A statement ends with a semicolon; the error is in the line where it is missing.
#version 330
out vec4 color;
void main() {
    float a = 1.0 //~ error: expected `;` after a declaration
    float b = 2.0;
    color = vec4(a, b, 0.0, 1.0);
}
