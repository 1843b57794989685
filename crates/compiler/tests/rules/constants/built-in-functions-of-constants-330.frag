// GLSL 3.30, 4.3.3: Built-in functions of constants give constants.
// value: 3 5 2 1
#version 330
out vec4 color;
const float a = max(1.0, 3.0);
const float b = length(vec2(3.0, 4.0));
const float c = mix(1.0, 3.0, 0.5);
const float d = clamp(5.0, 0.0, 1.0);

void main() {
    color = vec4(a, b, c, d);
}
