// ES 1.00, 3.4: There are no other directives.
#version 100
precision mediump float;
#foo //~ error: unknown directive `#foo`
#defin A 1 //~ error: unknown directive `#defin`
#include "common.glsl" //~ error: `#include` is no part of GLSL
#warning text //~ error: unknown directive `#warning`

void main() {
    gl_FragColor = vec4(1.0);
}
