// GLSL 3.30, 4.3.8.1: gl_FragCoord may be declared again with a layout.
// value: 1 0 0 1
#version 330
out vec4 color;
layout(origin_upper_left) in vec4 gl_FragCoord;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
