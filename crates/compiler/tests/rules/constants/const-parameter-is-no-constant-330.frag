// GLSL 3.30, 4.3.3: A const parameter is not a constant expression.
#version 330
out vec4 color;
float f(const int n) {
    float a[n]; //~ error: an array size must be a constant expression
    const int m = n; //~ error: the value of the constant `m` is not a constant expression
    return 1.0;
}

void main() {
    color = vec4(1.0);
}
