// GLSL 3.30, 3.3: A comment counts as a space, so it may come before `#`.
// value: 2 0 0 1
#version 330
out vec4 color;
/* one */ # /* two */ define /* three */ A /* four */ 2.0

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
