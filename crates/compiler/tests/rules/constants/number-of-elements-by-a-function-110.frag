// GLSL 1.10, 4.3.3: A call of a function of the shader is no constant expression.
#version 110
int two() { return 2; }
const int n = two(); //~ error

void main() {
    float a[two()]; //~ error
}
