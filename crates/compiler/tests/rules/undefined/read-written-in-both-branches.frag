// GLSL 3.30, 4.3.1: A variable that every path writes has a value.
// value: 2 0 0 1
// set u = 1
#version 330
out vec4 color;
uniform float u;

void main() {
    float a;
    if (u > 2.0) {
        a = 1.0;
    } else {
        a = 2.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
