// GLSL 3.30, 6.4: What follows `return` is checked and never runs.
// value: 1 0 0 1
#version 330
out vec4 color;
float f() {
    return 1.0;
    return 2.0;
}

void main() {
    color = vec4(f(), 0.0, 0.0, 1.0);
}
