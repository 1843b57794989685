// GLSL 3.30, 5.7: A scalar is not indexed.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    float b = a[0]; //~ error: a value of type `float` has no elements
}
