// GLSL 3.30, 5.8: m *= n is m = m * n, and v *= m is v = v * m.
// value: 7 10 5 11
#version 330
out vec4 color;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    vec2 v = vec2(1.0, 2.0);
    v *= m;
    mat2 n = m;
    n *= m;
    color = vec4(n[0], v);
}
