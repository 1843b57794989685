// GLSL 3.30, 9: A bracket that is closed by another kind is one mistake.
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0) = 1.0; //~ error: expected `]` after an index, found `)`
    a[1] = 2.0;
    float b = (1.0 + 2.0]; //~ error: expected `)` after an expression in brackets, found `]`
    float c = true; //~ error: the initial value is of type `bool`; expected `float`
}
