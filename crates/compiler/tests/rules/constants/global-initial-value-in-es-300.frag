#version 300 es
// ES 3.00, 4.3: The initial value of a global variable is a constant expression.
// value: 3 2 5 1
precision highp float;
out vec4 color;
const float c = 3.0;
float a = c;
float b = sqrt(4.0);
float e[2] = float[2](1.0, 5.0);
vec2 d = vec2(5.0, c).xy;

void main() {
    color = vec4(a, b, d.x, 1.0);
}
