// GLSL 3.30, 5.5: A component may be named by its number.
// value: 1 2 3 4
// set v = 1 2 3 4
#version 330
out vec4 color;
uniform vec4 v;

void main() {
    color = vec4(v[0], v[1], v[2], v[3]);
}
