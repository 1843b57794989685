// GLSL 3.30, 6.4: `break` ends no loop of the caller.
#version 330
out vec4 color;
void f() {
    break; //~ error: `break` is not within a loop or `switch`
}

void main() {
    for (int i = 0; i < 3; i++) f();
}
