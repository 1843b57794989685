#version 300 es
// ES 3.00, 4.1.1: Nothing but a function's result is void.
precision highp float;
out vec4 color;
void g; //~ error
uniform void u; //~ error

void main() {
    void a; //~ error
}
