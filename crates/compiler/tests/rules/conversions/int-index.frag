// GLSL 3.30, 5.7: An index is an integer: a float is not converted.
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b = a[1.0]; //~ error: an index is an integer, not `float`
    vec2 v = vec2(1.0);
    float c = v[0.0]; //~ error: an index is an integer, not `float`
}
