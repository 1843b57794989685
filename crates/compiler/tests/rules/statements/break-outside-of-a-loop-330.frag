// GLSL 3.30, 6.4: `break` and `continue` stand within loops.
#version 330
out vec4 color;
float f() {
    break; //~ error
    return 1.0;
}

void main() {
    if (true) break; //~ error
    continue; //~ error
}
