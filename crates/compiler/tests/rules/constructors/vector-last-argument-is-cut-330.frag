// GLSL 3.30, 5.4.2: Of the last argument the components that are left over are dropped.
// value: 9 1 2 3
// set v = 1 2 3 4
#version 330
out vec4 color;
uniform vec4 v;

void main() {
    color = vec4(9.0, v);
}
