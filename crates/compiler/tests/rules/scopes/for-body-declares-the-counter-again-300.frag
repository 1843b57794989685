#version 300 es
// ES 3.00, 6.3: The head of `for` and its body are one scope.
precision highp float;
out vec4 color;
void main() {
    for (int i = 0; i < 2; i++) {
        int i = 5; //~ error
    }
}
