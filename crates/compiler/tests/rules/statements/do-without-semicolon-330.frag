// GLSL 3.30, 6.3: A semicolon ends `do`.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    do { a += 1.0; } while (a < 3.0) } //~ error: expected `;` after `do ... while (...)`
