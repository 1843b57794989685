// GLSL 1.30, 6.2: `switch` is there.
// value: 2 0 0 1
// set n = 1
#version 130
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case 1:
        a = 2.0;
        break;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
