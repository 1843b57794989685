// GLSL 3.30, 3.4: `//` within a comment between `/*` and `*/` begins nothing.
// value: 5 0 0 1
#version 330
out vec4 color;
void main() {
    /* // */ color = vec4(5.0, 0.0, 0.0, 1.0);
}
