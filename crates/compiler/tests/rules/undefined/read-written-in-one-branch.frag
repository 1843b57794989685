// GLSL 3.30, 4.3.1: A variable that only some paths write may have no value after them.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a;
    if (u > 0.0) {
        a = 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0); //~ warning: `a` is read where it has no value on some path; it is declared on line 7: give it a value there
}
