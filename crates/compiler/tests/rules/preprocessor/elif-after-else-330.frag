// GLSL 3.30, 3.3: No `#elif` follows `#else`.
#version 330
out vec4 color;
#if 1
#else
#elif 1 //~ error: `#elif` after `#else`
#endif

void main() {
    color = vec4(1.0);
}
