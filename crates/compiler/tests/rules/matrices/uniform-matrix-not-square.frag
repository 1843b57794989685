// GLSL 3.30, 4.1.6: A uniform matrix need not be square.
// value: 4 5 6 1
// set m = 1 2 3 4 5 6
#version 330
out vec4 color;
uniform mat2x3 m;

void main() {
    color = vec4(m[1], 1.0);
}
