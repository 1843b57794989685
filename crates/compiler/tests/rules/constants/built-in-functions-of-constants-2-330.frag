// GLSL 3.30, 4.3.3: Built-in functions of constants give constants.
// value: -2 3 11 1
#version 330
out vec4 color;
const float a = floor(-1.5);
const float b = abs(-3.0);
const float c = dot(vec2(1.0, 2.0), vec2(3.0, 4.0));
const float d = step(0.5, 0.75);

void main() {
    color = vec4(a, b, c, d);
}
