// GLSL 3.30, 7.2: An output that only some paths write is undefined on the others.
#version 330
out vec4 color;
uniform float u;
void main() { //~ warning: the output `color` is not written on every path; it is undefined on the others: assign a value at the start of `main`
    if (u > 0.0) color = vec4(1.0);
}
