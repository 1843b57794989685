// GLSL 3.30, 4.4: An out parameter is copied to the argument when the function returns.
// value: 7 0 0 1
#version 330
out vec4 color;
void f(out float a) { a = 7.0; }

void main() {
    float a = 1.0;
    f(a);
    color = vec4(a, 0.0, 0.0, 1.0);
}
