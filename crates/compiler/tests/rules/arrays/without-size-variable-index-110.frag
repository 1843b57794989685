// GLSL 1.10, 4.1.9: An array without a size is indexed by constants only.
#version 110
uniform int n;
float a[];

void main() {
    a[n] = 3.0; //~ error
}
