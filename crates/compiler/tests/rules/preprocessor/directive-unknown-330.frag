// GLSL 3.30, 3.3: There are no other directives.
#version 330
out vec4 color;
#foo //~ error
#defin A 1 //~ error
#include "common.glsl" //~ error
#warning text //~ error

void main() {
    color = vec4(1.0);
}
