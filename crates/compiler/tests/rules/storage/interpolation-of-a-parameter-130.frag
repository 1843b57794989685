// GLSL 1.30, 4.3.7: A parameter has no interpolation.
#version 130
out vec4 color;
float f(flat float a) { return a; } //~ error
float g(smooth in float a) { return a; } //~ error
float h(centroid in float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
