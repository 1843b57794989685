// GLSL 3.30, 3.3: `##` joins in macros without arguments, too.
// value: 4 0 0 1
#version 330
out vec4 color;
#define NAME va ## lue

void main() {
    float NAME = 4.0;
    color = vec4(value, 0.0, 0.0, 1.0);
}
