// GLSL 3.30, 6.2: Where no case fits, `default` counts.
// value: 9 0 0 1
// set n = 7
#version 330
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case 1:
        a = 1.0;
        break;
    default:
        a = 9.0;
        break;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
