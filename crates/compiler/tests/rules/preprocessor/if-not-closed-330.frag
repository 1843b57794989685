// GLSL 3.30, 3.3: Each `#if` has its `#endif`.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
}
#if 1 //~ error: this condition has no `#endif`
