// GLSL 3.30, 9: A declaration has a type.
#version 330
out vec4 color;
uniform a; //~ error: a type is missing in this declaration
const b = 1.0; //~ error: expected the name of a variable, found `=`
in c; //~ error: a type is missing in this declaration

void main() {
    color = vec4(1.0);
}
