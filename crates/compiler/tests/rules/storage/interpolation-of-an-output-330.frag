// GLSL 3.30, 4.3.9: An output of a fragment shader has no interpolation.
#version 330
out vec4 color;
flat out vec4 a; //~ error
smooth out vec4 b; //~ error
centroid out vec4 c; //~ error

void main() {
    color = vec4(1.0);
}
