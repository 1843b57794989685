// GLSL 3.30, 6.4: A returned int is converted to the function's type.
// value: 1 0 0 1
#version 330
out vec4 color;
float f() {
    return 1;
}

void main() {
    color = vec4(f(), 0.0, 0.0, 1.0);
}
