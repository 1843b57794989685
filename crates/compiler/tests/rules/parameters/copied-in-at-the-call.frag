// GLSL 3.30, 6.1.1: An argument is copied when it is computed: a later argument does not change it.
// value: 1 5 0 1
#version 330
out vec4 color;
float g = 1.0;
float set(float a) { g = a; return a; }
vec2 f(float a, float b) { return vec2(a, b); }

void main() {
    vec2 v = f(g, set(5.0));
    color = vec4(v, 0.0, 1.0);
}
