// GLSL 3.30, 4.1.4: A point alone is no number.
#version 330
out vec4 color;
void main() {
    float a = .; //~ error: expected an expression, found `.`
}
