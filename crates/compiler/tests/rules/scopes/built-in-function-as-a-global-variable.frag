// GLSL 3.30, 4.2.2: A global variable may be called like a built-in function, which is in a scope outside.
// value: 2 0 0 1
#version 330
out vec4 color;
float sin = 2.0;

void main() {
    color = vec4(sin, 0.0, 0.0, 1.0);
}
