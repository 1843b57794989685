// GLSL 3.30, 3.3: A condition is a whole expression.
#version 330
out vec4 color;
#if 1 + //~ error
#endif
#if (1 //~ error
#endif
#if * 2 //~ error
#endif
#if 1 2 //~ error
#endif
#if 1) //~ error
#endif

void main() {
    color = vec4(1.0);
}
