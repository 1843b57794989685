// GLSL 1.30, 4.3.7: An input has one interpolation.
#version 130
out vec4 color;
flat smooth in float a; //~ error
smooth smooth in float b; //~ error
centroid centroid in float c; //~ error

void main() {
    color = vec4(1.0);
}
