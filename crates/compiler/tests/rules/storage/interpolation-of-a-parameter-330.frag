// GLSL 3.30, 4.3.9: A parameter has no interpolation.
#version 330
out vec4 color;
float f(flat float a) { return a; } //~ error
float g(smooth in float a) { return a; } //~ error
float h(centroid in float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
