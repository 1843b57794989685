// GLSL 3.30, 4.3.2: A constant is not written.
#version 330
out vec4 color;
const float g = 1.0;

void main() {
    const vec2 a = vec2(1.0, 2.0);
    g = 2.0; //~ error: `g` is constant, and cannot be written to
    a.x = 1.0; //~ error: `a` is constant, and cannot be written to
    a += 1.0; //~ error: `a` is constant, and cannot be written to
    a[0]++; //~ error: `a` is constant, and cannot be written to
}
