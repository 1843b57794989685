// GLSL 3.30, 4.3.7: Blocks with instance names may have members of one name.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} one;
uniform Other {
    vec4 a;
} two;

void main() {
    color = one.a + two.a;
}
