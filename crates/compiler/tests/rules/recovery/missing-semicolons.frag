// GLSL 3.30, 9: Each missing semicolon is a mistake of its own.
#version 330
out vec4 color;
void main() {
    float a = 1.0 //~ error: expected `;` after a declaration
    float b = 2.0;
    b += a //~ error: expected `;` after this expression
    a = b;
    color = vec4(a, b, 0.0, 1.0) //~ error: expected `;` after this expression
}
