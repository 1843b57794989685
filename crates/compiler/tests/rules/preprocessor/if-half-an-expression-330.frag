// GLSL 3.30, 3.3: A condition is a whole expression.
#version 330
out vec4 color;
#if 1 + //~ error: this expression is incomplete
#endif
#if (1 //~ error: this `(` has no `)`
#endif
#if * 2 //~ error: unexpected `*`
#endif
#if 1 2 //~ error: expected one condition
#endif
#if 1) //~ error: unexpected `)`
#endif

void main() {
    color = vec4(1.0);
}
