// GLSL 3.30, 4.3.8.1: Only gl_FragCoord has these layouts.
#version 330
out vec4 color;
layout(origin_upper_left) in vec4 a; //~ error: this layout is only for `gl_FragCoord`
layout(pixel_center_integer) uniform vec4 b; //~ error: this layout is only for `gl_FragCoord`

void main() {
    color = vec4(1.0);
}
