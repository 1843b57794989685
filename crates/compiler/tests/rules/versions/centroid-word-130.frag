// GLSL 1.30, 4.3.4: `centroid` belongs to the values from the vertex shader.
// value: 1 0 0 1
#version 130
out vec4 color;
centroid in vec4 v;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
