// GLSL 3.30, 4.3.8.1: All declarations of gl_FragCoord have the same layout.
#version 330
out vec4 color;
layout(origin_upper_left) in vec4 gl_FragCoord;
layout(pixel_center_integer, origin_upper_left) in vec4 gl_FragCoord; //~ error: `gl_FragCoord` has another layout than before
layout(origin_upper_left) in vec4 gl_FragCoord;

void main() {
    color = vec4(1.0);
}
