// GLSL 3.30, 9: A declaration is no expression.
#version 330
out vec4 color;
void main() {
    float a = (float b = 1.0); //~ error: expected `(` after the type of a constructor, found `b`
}
