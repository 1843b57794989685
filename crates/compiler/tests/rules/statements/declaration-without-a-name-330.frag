// GLSL 3.30, 9: A declaration names what it declares.
#version 330
out vec4 color;
void main() {
    float = 1.0; //~ error: expected the name of a variable, found `=`
    float a b; //~ error: expected `;` after a declaration, found `b`
    float a, ; //~ error: expected the name of a variable, found `;`
}
