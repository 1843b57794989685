// GLSL 1.10, 4.3.2: The initial value of a constant may use constants.
// value: 3 6 0 1
#version 110
const float a = 3.0;
const float b = a * 2.0;

void main() {
    const vec2 c = vec2(a, b);
    gl_FragColor = vec4(c, 0.0, 1.0);
}
