// GLSL 3.30, 8.4: The geometric functions take scalars too.
// value: 3 2 6 1
// set u = 3
#version 330
out vec4 color;
uniform float u;

void main() {
    color = vec4(length(-u), distance(u, 1.0), dot(u, 2.0), normalize(u));
}
