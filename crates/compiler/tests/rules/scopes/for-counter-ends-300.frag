#version 300 es
// ES 3.00, 6.3: What the head of `for` declares ends with the loop.
precision highp float;
out vec4 color;
void main() {
    for (int i = 0; i < 2; i++) {}
    float a = float(i); //~ error: there is no variable `i`
}
