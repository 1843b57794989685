#version 300 es
// ES 3.00, 6.1: `main` returns nothing.
precision highp float;
out vec4 color;
int main() { //~ error
    return 1;
}
