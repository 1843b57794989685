// GLSL 3.30, 3.3: A condition has one `#else`.
#version 330
out vec4 color;
#if 1
#else
#else //~ error: a second `#else` for the condition on line 4
#endif

void main() {
    color = vec4(1.0);
}
