// GLSL 3.30, 9: A parenthesis that is missing spoils its own statement only.
#version 330
out vec4 color;
void main() {
    float a = max(1.0, min(2.0, 3.0); //~ error: expected `)` after the arguments of a function, found `;`
    float b = 4.0;
    float c = max 1.0, 2.0); //~ error: expected `;` after a declaration, found `1.0`
    float d = true; //~ error: the initial value is of type `bool`; expected `float`
}
