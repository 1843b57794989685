// GLSL 3.30, 9: Every `{` has its `}`: the error is at the one that is not closed.
#version 330
out vec4 color;
void main() { //~ error: this `{` has no `}`
    if (true) {
        color = vec4(1.0);
    }
