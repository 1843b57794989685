// GLSL 1.20, 5.9: An int operand is converted where the other is a float.
// value: 5 3 4 3
// set n = 2
#version 120
uniform int n;

void main() {
    float a = n + 3.0;
    float b = 1.5 * n;
    vec2 c = vec2(2.0) * n;
    float d = 6.0 / n;
    gl_FragColor = vec4(a, b, c.x, d);
}
