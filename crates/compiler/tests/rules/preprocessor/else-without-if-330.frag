// GLSL 3.30, 3.3: `#else`, `#elif` and `#endif` belong to an `#if`.
#version 330
out vec4 color;
#else //~ error: `#else` without `#if`
#elif 1 //~ error: `#elif` without `#if`
#endif //~ error: `#endif` without `#if`

void main() {
    color = vec4(1.0);
}
