// GLSL 3.30, 5.4: The arguments of a constructor are computed once.
// value: 2 2 2 1
#version 330
out vec4 color;
int calls = 0;
float next() { calls++; return 2.0; }

void main() {
    vec3 v = vec3(next());
    color = vec4(v, float(calls));
}
