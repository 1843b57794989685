// GLSL 3.30, 6.1: A call of another function of the same name is no recursion.
// value: 5 0 0 1
#version 330
out vec4 color;
float f(float a) { return a; }
float f(vec2 a) { return f(a.x) + f(a.y); }

void main() {
    color = vec4(f(vec2(2.0, 3.0)), 0.0, 0.0, 1.0);
}
