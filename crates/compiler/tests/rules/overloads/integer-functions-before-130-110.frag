// GLSL 1.10, 8.3: abs, min, max and clamp are for floats.
#version 110
uniform int n;

void main() {
    int a = abs(n); //~ error: no function `abs` takes (int)
    int b = max(n, 2); //~ error: no function `max` takes (int, int)
    int c = clamp(n, 0, 1); //~ error: no function `clamp` takes (int, int, int)
}
