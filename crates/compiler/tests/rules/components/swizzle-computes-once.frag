// GLSL 3.30, 5.5: What a swizzle is taken of is computed once.
// value: 2 1 1 1
#version 330
out vec4 color;
int calls = 0;
vec2 f() { calls++; return vec2(1.0, 2.0); }

void main() {
    vec2 v = f().yx;
    color = vec4(v, float(calls), 1.0);
}
