// GLSL 3.30, 3.3: A comment in a group that is left out hides directives.
// value: 2 0 0 1
#version 330
out vec4 color;
#define A 1.0
#if 0
/*
#endif
#undef A
*/
#else
#undef A
#define A 2.0
#endif

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
