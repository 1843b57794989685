// GLSL 3.30, 5.9: A division of constants by 0 gives some value, no error.
#version 330
out vec4 color;
const float a = 1.0 / 0.0;
const float b = 0.0 / 0.0;

void main() {
    color = vec4(a > 1.0, b, 0.0, 1.0);
}
