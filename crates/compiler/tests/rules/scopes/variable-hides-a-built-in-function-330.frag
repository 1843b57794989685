// GLSL 3.30, 4.2.2: A variable may be called like a built-in function.
// value: 2 3 4 1
#version 330
out vec4 color;
void main() {
    float sin = 2.0, texture2D = 3.0, mix = 4.0;
    color = vec4(sin, texture2D, mix, 1.0);
}
