// GLSL 1.10, 4.3: There is no `centroid` here.
#version 110
centroid varying vec4 v; //~ error: `centroid` is a keyword of GLSL 1.20 and GLSL ES 3.00, not of GLSL 1.10

void main() {
}
