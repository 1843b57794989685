// GLSL 3.30, 5.9: `++` and `--` work on integers.
// value: 3 2 4 1
// set n = 2
#version 330
out vec4 color;
uniform int n;

void main() {
    int a = n;
    int b = a++;
    uint c = 3u;
    c++;
    color = vec4(a, b, c, 1.0);
}
