// GLSL 3.30, 4.3.3: A conversion keeps a constant constant.
// value: 2 0 0 1
#version 330
out vec4 color;
const float a = 2;
const int n = 2;
const float b = n;

void main() {
    float w[int(a)];
    w[1] = b;
    color = vec4(w[1], 0.0, 0.0, 1.0);
}
