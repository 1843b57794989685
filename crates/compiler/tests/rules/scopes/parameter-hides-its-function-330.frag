// GLSL 3.30, 4.2.2: A parameter may be called like its function.
// value: 3 0 0 1
#version 330
out vec4 color;
float f(float f) { return f; }

void main() {
    color = vec4(f(3.0), 0.0, 0.0, 1.0);
}
