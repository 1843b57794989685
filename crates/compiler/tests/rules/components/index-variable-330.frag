// GLSL 3.30, 5.5: The number of a component may be computed.
// value: 3 2 4 1
// set v = 1 2 3 4
// set n = 2
#version 330
out vec4 color;
uniform vec4 v;
uniform int n;

void main() {
    vec4 w = v;
    color = vec4(w[n], w[n - 1], w[n + 1], w[0]);
}
