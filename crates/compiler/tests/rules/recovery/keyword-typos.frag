// GLSL 3.30, 9: A keyword that is written wrong is one mistake.
#version 330
out vec4 color;
void main() {
    whlie (true) { break; } //~ error: expected `;` after this expression, found `{`
    fro (int i = 0; i < 3; i++) {} //~ error: expected `(` after the type of a constructor, found `i`
    float a = 1.0;
    if (a > 0.0) { a = 2.0; } esle { a = 3.0; } //~ error: expected `;` after this expression, found `{`
}
