// GLSL 3.30, 4.3.5: A uniform may have an initial value.
#version 330
out vec4 color;
uniform float u = 2.0;

void main() {
    color = vec4(u, 0.0, 0.0, 1.0);
}
