// GLSL 3.30, 6.2: A condition may be an assignment, which is rarely what is meant.
// value: 2 0 0 1
#version 330
out vec4 color;
void main() {
    bool a = false;
    color = vec4(1.0, 0.0, 0.0, 1.0);
    if (a = true) color.x = 2.0; //~ warning: the condition of `if` is an assignment; write `==` to compare, or put it in brackets
    if ((a = false)) color.x = 3.0;
}
