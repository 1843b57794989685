// GLSL 3.30, 3.3: There are no other directives.
#version 330
out vec4 color;
#foo //~ error: unknown directive `#foo`
#defin A 1 //~ error: unknown directive `#defin`
#include "common.glsl" //~ error: `#include` is no part of GLSL
#warning text //~ error: unknown directive `#warning`

void main() {
    color = vec4(1.0);
}
