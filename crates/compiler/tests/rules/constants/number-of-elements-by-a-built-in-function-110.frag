// GLSL 1.10, 4.3.3: No call of a function is a constant expression.
#version 110
void main() {
    float a[int(max(2.0, 3.0))]; //~ error: an array size must be a constant expression
    float b[int(pow(2.0, 2.0) + 0.5)]; //~ error: an array size must be a constant expression
}
