#version 300 es
// ES 3.00, 8.3: mix takes no integers.
precision highp float;
out vec4 color;
void main() {
    int a = mix(1, 2, 0.5); //~ error: no function `mix` takes (int, int, float)
}
