#version 300 es
// ES 3.00, 4.4: A const parameter is not written.
precision highp float;
out vec4 color;
float f(const float a) {
    a = 2.0; //~ error
    return a;
}
float g(const in vec2 a) {
    a.x += 1.0; //~ error
    return a.x;
}

void main() {
    color = vec4(1.0);
}
