// GLSL 3.30, 4.7: Qualifiers come before the type.
#version 330
out vec4 color;
float uniform a; //~ error: expected the name of a variable, found the keyword `uniform`
float const b = 1.0; //~ error: expected the name of a variable, found the keyword `const`
vec4 in c; //~ error: expected the name of a variable, found the keyword `in`

void main() {
    color = vec4(1.0);
}
