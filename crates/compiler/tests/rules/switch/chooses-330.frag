// GLSL 3.30, 6.2: `switch` goes to the case of its number.
// value: 2 0 0 1
// set n = 2
#version 330
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case 1:
        a = 1.0;
        break;
    case 2:
        a = 2.0;
        break;
    case 3:
        a = 3.0;
        break;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
