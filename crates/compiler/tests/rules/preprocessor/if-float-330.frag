// GLSL 3.30, 3.3: Conditions are of integers.
#version 330
out vec4 color;
#if 1.0 //~ error: `1.0` is no whole number
#endif
#if 2 > 1.5 //~ error: `1.5` is no whole number
#endif

void main() {
    color = vec4(1.0);
}
