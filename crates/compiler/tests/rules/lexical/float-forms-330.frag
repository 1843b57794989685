// GLSL 3.30, 4.1.4: A float has digits with a point, or an exponent, or both; the digits before or after the point
// may be missing.
// value: 1.5 0.5 2 300
#version 330
out vec4 color;
void main() {
    color = vec4(1.5, .5, 2., 3e2);
}
