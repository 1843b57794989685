#version 300 es
// ES 3.00, 4.3.6: Outputs that are an array have constant indices.
precision highp float;
uniform int n;
out vec4 color[2];

void main() {
    const int one = 1;
    color[one] = vec4(1.0);
    color[n] = vec4(1.0); //~ error: the index of an output is a constant expression
    for (int i = 0; i < 2; i++) {
        color[i] = vec4(1.0); //~ error: the index of an output is a constant expression
    }
}
