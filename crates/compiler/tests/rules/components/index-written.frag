// GLSL 3.30, 5.5: A component whose number is computed can be written.
// value: 1 2 9 4
// set n = 2
#version 330
out vec4 color;
uniform int n;

void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v[n] = 9.0;
    color = v;
}
