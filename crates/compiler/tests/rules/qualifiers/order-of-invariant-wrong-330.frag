// GLSL 3.30, 4.7: `invariant` comes first.
#version 330
out vec4 color;
in invariant vec2 a; //~ error: `invariant` comes before `in` in GLSL 3.30

void main() {
    color = vec4(1.0);
}
