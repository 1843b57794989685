// GLSL 1.10, 4.3: There is no `centroid` here.
#version 110
centroid varying vec4 v; //~ error

void main() {
}
