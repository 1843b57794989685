// GLSL 1.30, 3.3: `##` joins two tokens to one.
// value: 7 12 0 1
#version 130
out vec4 color;
#define JOIN(a, b) a##b

void main() {
    float value2 = 7.0;
    color = vec4(JOIN(value, 2), JOIN(1, 2), 0.0, 1.0);
}
