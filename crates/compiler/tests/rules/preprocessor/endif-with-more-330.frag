// GLSL 3.30, 3.3: Nothing follows `#endif` in its line.
#version 330
out vec4 color;
#if 1
#endif A //~ error: unexpected text after `#endif`

void main() {
    color = vec4(1.0);
}
