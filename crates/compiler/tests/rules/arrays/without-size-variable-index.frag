// GLSL 3.30, 4.1.9: An array without a size is indexed by constants only.
#version 330
out vec4 color;
uniform int n;
float a[];

void main() {
    a[n] = 3.0; //~ error: an unsized array takes constant indices
}
