// GLSL 1.50, 4.3.8: The names of layouts have no case.
// value: 0 1 0 1
#version 150
layout(PIXEL_center_inTEger) in vec4 gl_FragCoord;

void main() {
    gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0);
}
