// GLSL 3.30, 4.2.2: A structure may be called like a built-in function.
// value: 2 0 0 1
#version 330
out vec4 color;
struct sin { float a; };

void main() {
    sin s = sin(2.0);
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
