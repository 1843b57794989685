#version 300 es
// ES 3.00, 3.4: There are no other directives.
precision highp float;
out vec4 color;
#foo //~ error
#defin A 1 //~ error
#include "common.glsl" //~ error
#warning text //~ error

void main() {
    color = vec4(1.0);
}
