// GLSL 3.30, 5.7: The constructor of an array may be indexed.
// value: 20 0 0 1
// set n = 1
#version 330
out vec4 color;
uniform int n;

void main() {
    color = vec4(float[3](10.0, 20.0, 30.0)[n], 0.0, 0.0, 1.0);
}
