// ES, 3.00: A source without `#version` that has `mainImage` and no `main` is ES 3.00.
// value: 300 1 0 1
void mainImage(out vec4 color, in vec2 place) {
#ifdef GL_ES
    color = vec4(__VERSION__, 1.0, 0.0, 1.0);
#else
    color = vec4(0.0);
#endif
}
