// GLSL 3.30, 3.6: Keywords cannot be names.
#version 330
out vec4 color;
void main() {
    float if = 1.0; //~ error: expected the name of a variable, found the keyword `if`
    float struct = 1.0; //~ error: expected the name of a variable, found the keyword `struct`
    float uniform = 1.0; //~ error: expected the name of a variable, found the keyword `uniform`
    float discard = 1.0; //~ error: expected the name of a variable, found the keyword `discard`
    float true = 1.0; //~ error: expected the name of a variable, found the keyword `true`
    float return = 1.0; //~ error: expected the name of a variable, found the keyword `return`
}
