// GLSL 3.30, 4.3.2: The initial value of a constant may use constants.
// value: 3 6 0 1
#version 330
out vec4 color;
const float a = 3.0;
const float b = a * 2.0;

void main() {
    const vec2 c = vec2(a, b);
    color = vec4(c, 0.0, 1.0);
}
