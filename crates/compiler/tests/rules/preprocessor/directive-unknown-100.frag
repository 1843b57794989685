// ES 1.00, 3.4: There are no other directives.
#version 100
precision mediump float;
#foo //~ error
#defin A 1 //~ error
#include "common.glsl" //~ error
#warning text //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
