// GLSL 3.30, 6.3: `while` has a condition.
#version 330
out vec4 color;
void main() {
    while () {} //~ error: expected an expression, found `)`
    do {} while (); //~ error: expected an expression, found `)`
}
