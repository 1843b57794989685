#version 300 es
// ES 3.00, 4.3.3: The counter of a loop is no constant expression.
precision highp float;
out vec4 color;
void main() {
    for (int i = 1; i < 3; i++) {
        float a[i]; //~ error: an array size must be a constant expression
    }
}
