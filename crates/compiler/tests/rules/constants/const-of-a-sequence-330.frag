// GLSL 3.30, 4.3.3: A sequence is no constant expression.
#version 330
out vec4 color;
const float a = (1.0, 2.0); //~ error: the value of the constant `a` is not a constant expression

void main() {
    float b[(1, 2)]; //~ error: an array size must be a constant expression
}
