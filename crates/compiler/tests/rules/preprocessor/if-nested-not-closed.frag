// GLSL 3.30, 3.3: Each `#if` has its `#endif`: the error is at the one that has none.
#version 330
out vec4 color;
#ifdef A //~ error: this condition has no `#endif`
#if 1
#endif
void main() {
    color = vec4(1.0);
}
