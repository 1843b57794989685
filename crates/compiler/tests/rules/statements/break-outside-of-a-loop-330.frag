// GLSL 3.30, 6.4: `break` and `continue` occur only inside loops.
#version 330
out vec4 color;
float f() {
    break; //~ error: `break` is not within a loop or `switch`
    return 1.0;
}

void main() {
    if (true) break; //~ error: `break` is not within a loop or `switch`
    continue; //~ error: `continue` is not within a loop
}
