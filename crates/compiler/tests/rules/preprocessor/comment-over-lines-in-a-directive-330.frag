// GLSL 3.30, 3.3: Comments are spaces before directives are read, so a directive goes on after a comment of several
// lines.
// value: 2.5 0 0 1
#version 330
out vec4 color;
#define A /* this
    goes on */ 2.5

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
