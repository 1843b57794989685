// GLSL 3.30, 4.3.1: A global variable without an initial value has none.
#version 330
out vec4 color;
float g;

void main() {
    color = vec4(g, 0.0, 0.0, 1.0); //~ warning: `g` is read, and no value is written to it; it is declared on line 4: give it a value there
}
