// GLSL 3.30, 4.3.3: A call of a function of the shader is no constant expression.
#version 330
out vec4 color;
int two() { return 2; }
const int n = two(); //~ error: the value of the constant `n` is not a constant expression

void main() {
    float a[two()]; //~ error: an array size must be a constant expression
}
