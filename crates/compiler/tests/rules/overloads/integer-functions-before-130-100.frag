// ES 1.00, 8.3: abs, min, max and clamp are for floats.
#version 100
precision mediump float;
uniform int n;

void main() {
    int a = abs(n); //~ error
    int b = max(n, 2); //~ error
    int c = clamp(n, 0, 1); //~ error
}
