// GLSL 3.30, 6.2: The number of a `switch` may be constant.
// value: 2 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 0.0;
    switch (2) {
    case 2: a = 2.0; break;
    default: a = 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
