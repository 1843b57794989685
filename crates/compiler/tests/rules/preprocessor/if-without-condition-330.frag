// GLSL 3.30, 3.3: `#if` and `#elif` need a condition.
#version 330
out vec4 color;
#if //~ error: expected a condition
#endif
#if 0
#elif //~ error: expected a condition
#endif

void main() {
    color = vec4(1.0);
}
