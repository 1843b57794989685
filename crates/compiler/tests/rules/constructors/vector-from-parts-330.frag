// GLSL 3.30, 5.4.2: A vector takes the components of its arguments one after the other.
// value: 1 2 3 4
// set v = 2 3
#version 330
out vec4 color;
uniform vec2 v;

void main() {
    color = vec4(1.0, v, 4.0);
}
