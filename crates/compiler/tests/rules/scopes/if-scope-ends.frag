#version 300 es
// ES 3.00, 6.2: What the single statement of `if` declares ends with it.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    if (u > 0.5) float a = 42.0;
    color = vec4(a); //~ error: there is no variable `a`
}
