// GLSL 3.30, 4.3.8: A parameter has no layout.
#version 330
out vec4 color;
float f(layout(location = 0) float a) { return a; } //~ error: `layout` is not allowed on a parameter

void main() {
    color = vec4(1.0);
}
