// GLSL 3.30, 3.3: Conditions have no assignment, no comma, no `?`, no increment.
#version 330
out vec4 color;
#if 1 ? 1 : 0 //~ error: unexpected `?`
#endif
#if 1, 1 //~ error: unexpected `,`
#endif
#if ++1 //~ error: unexpected `++`
#endif
#define A 1
#if A = 1 //~ error: unexpected `=`
#endif

void main() {
    color = vec4(1.0);
}
