// GLSL 3.30, 4.3.9: `centroid varying` is one qualifier.
// value: 1 0 0 1
#version 330
out vec4 color;
centroid varying vec2 a;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
