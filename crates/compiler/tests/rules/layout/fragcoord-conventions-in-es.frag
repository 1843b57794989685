#version 300 es
// ES 3.00, 4.3.8.1: gl_FragCoord has no layout.
precision highp float;
out vec4 color;
layout(origin_upper_left) in vec4 gl_FragCoord; //~ error: GLSL ES 3.00 has no layout `origin_upper_left`

void main() {
    color = vec4(1.0);
}
