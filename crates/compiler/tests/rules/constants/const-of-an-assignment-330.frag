// GLSL 3.30, 4.3.3: An assignment is no constant expression.
#version 330
out vec4 color;
void main() {
    int n = 1;
    const int a = n = 2; //~ error: the value of the constant `a` is not a constant expression
    const int b = n++; //~ error: the value of the constant `b` is not a constant expression
}
