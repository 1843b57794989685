#version 300 es
// ES 3.00, 4.3.3: A const parameter is not a constant expression.
precision highp float;
out vec4 color;
float f(const int n) {
    float a[n]; //~ error: an array size must be a constant expression
    const int m = n; //~ error: the value of the constant `m` is not a constant expression
    return 1.0;
}

void main() {
    color = vec4(1.0);
}
