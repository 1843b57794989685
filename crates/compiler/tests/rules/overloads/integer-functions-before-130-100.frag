// ES 1.00, 8.3: abs, min, max and clamp are for floats.
#version 100
precision mediump float;
uniform int n;

void main() {
    int a = abs(n); //~ error: no function `abs` takes (int)
    int b = max(n, 2); //~ error: no function `max` takes (int, int)
    int c = clamp(n, 0, 1); //~ error: no function `clamp` takes (int, int, int)
}
