// GLSL 3.30, 3.3: `defined` is an operator, so no macro has this name.
#version 330
out vec4 color;
#define defined 1 //~ error: `defined` cannot be defined

void main() {
    color = vec4(1.0);
}
