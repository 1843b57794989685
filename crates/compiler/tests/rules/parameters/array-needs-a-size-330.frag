// GLSL 3.30, 4.1.9: A parameter that is an array has a size.
#version 330
out vec4 color;
float f(float a[]) { return a[0]; } //~ error: an array that is a parameter needs a size

void main() {
    color = vec4(1.0);
}
