// GLSL 3.30, 8.3: mod takes the sign of its second argument.
// value: 1 -1 0.5 1
// set u = -2
#version 330
out vec4 color;
uniform float u;

void main() {
    color = vec4(mod(u, 3.0), mod(-u, -3.0), mod(-0.5 + u * 0.0, 1.0), 1.0);
}
