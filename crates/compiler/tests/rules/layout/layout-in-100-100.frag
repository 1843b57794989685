// ES 1.00, 4.3: There are no layouts.
#version 100
precision mediump float;
layout(location = 0) uniform vec4 a; //~ error: `layout` is a keyword of GLSL 1.40 and GLSL ES 3.00, not of GLSL ES 1.00

void main() {
    gl_FragColor = vec4(1.0);
}
