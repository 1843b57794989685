// GLSL 3.30, 3.3: Macros are expanded in `#if`, those with arguments too.
// value: 1 1 0 1
#version 330
out vec4 color;
#define MAX 8
#define LESS(a, b) ((a) < (b))
#define NAME MAX
#if NAME == 8
#define R 1.0
#endif
#if LESS(2, MAX) && !LESS(MAX, 2)
#define G 1.0
#endif

void main() {
    color = vec4(R, G, 0.0, 1.0);
}
