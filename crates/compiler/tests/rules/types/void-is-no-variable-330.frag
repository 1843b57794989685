// GLSL 3.30, 4.1.1: Nothing but a function's result is void.
#version 330
out vec4 color;
void g; //~ error
uniform void u; //~ error

void main() {
    void a; //~ error
}
