// GLSL 3.30, 4.1.1: Nothing but a function's result is void.
#version 330
out vec4 color;
void g; //~ error: the variable `g` cannot be `void`
uniform void u; //~ error: the variable `u` cannot be `void`

void main() {
    void a; //~ error: the variable `a` cannot be `void`
}
