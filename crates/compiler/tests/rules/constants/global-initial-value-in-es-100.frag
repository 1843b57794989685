// ES 1.00, 4.3: The initial value of a global variable is a constant expression.
// value: 3 2 5 1
#version 100
precision mediump float;
const float c = 3.0;
float a = c;
float b = sqrt(4.0);
vec2 d = vec2(5.0, c).xy;

void main() {
    gl_FragColor = vec4(a, b, d.x, 1.0);
}
