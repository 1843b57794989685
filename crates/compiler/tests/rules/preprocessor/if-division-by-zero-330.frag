// GLSL 3.30, 3.3: A condition cannot divide by 0.
#version 330
out vec4 color;
#if 1 / 0 //~ error: division by zero in a condition
#endif
#if 1 % 0 //~ error: division by zero in a condition
#endif

void main() {
    color = vec4(1.0);
}
