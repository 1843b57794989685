// GLSL 3.30, 4.3.1: A variable that was never written has no value: a warning where it is read.
#version 330
out vec4 color;
void main() {
    float a;
    color = vec4(a, 0.0, 0.0, 1.0); //~ warning: `a` is read before a value is written to it; it is declared on line 5: give it a value there
}
