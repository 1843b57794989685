// GLSL 3.30, 6.2: The body of `switch` is one scope, for all its cases.
// value: 1 8 0 1
// set n = 1
#version 330
out vec4 color;
uniform int n;

void main() {
    float a = 1.0, b = 0.0;
    switch (n) {
    case 0:
        float a;
    case 1:
        a = 8.0;
        b = a;
    }
    color = vec4(1.0, b, 0.0, 1.0);
}
