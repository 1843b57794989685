// GLSL 3.30, 6.4: A path that ends in `discard` needs no return.
// value: 1 0 0 1
// set u = 2
#version 330
out vec4 color;
uniform float u;
float f(float x) {
    if (x > 1.0) return 1.0;
    discard;
}

void main() {
    color = vec4(f(u), 0.0, 0.0, 1.0);
}
