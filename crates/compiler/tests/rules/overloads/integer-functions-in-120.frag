// GLSL 1.20, 8.3: In 1.20 abs, min and max take integers as floats, and give floats.
// value: 3 5 0 1
// set n = -3
#version 120
uniform int n;

void main() {
    float a = abs(n), b = max(n, 5);
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
