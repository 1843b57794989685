// GLSL 3.30, 3.3: `#version` comes before any other directive, so it cannot depend on a condition.
#if 1
#version 330 //~ error: `#version` must be the first of the source
#endif
void main() {
}
