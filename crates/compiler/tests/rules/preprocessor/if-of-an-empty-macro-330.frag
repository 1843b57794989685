// GLSL 3.30, 3.3: A macro of no text gives no condition.
#version 330
out vec4 color;
#define EMPTY
#if EMPTY //~ error: expected a condition
#endif

void main() {
    color = vec4(1.0);
}
