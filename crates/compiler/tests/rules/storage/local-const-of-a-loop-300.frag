#version 300 es
// ES 3.00, 4.3.2: The initial value of a constant is a constant expression, in a loop too.
precision highp float;
out vec4 color;
void main() {
    for (int i = 0; i < 3; i++) {
        const int n = i; //~ error
    }
}
