// GLSL 3.30, 3.3: Nothing follows `#else` in its line.
#version 330
out vec4 color;
#if 1
#else 1 //~ error: unexpected text after `#else`
#endif

void main() {
    color = vec4(1.0);
}
