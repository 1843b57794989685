// GLSL 3.30, 4.4: A const parameter is not written.
#version 330
out vec4 color;
float f(const float a) {
    a = 2.0; //~ error: `a` is a `const` parameter, and cannot be written to
    return a;
}
float g(const in vec2 a) {
    a.x += 1.0; //~ error: `a` is a `const` parameter, and cannot be written to
    return a.x;
}

void main() {
    color = vec4(1.0);
}
