// GLSL 3.30, 7.2: gl_FragCoord is the place of the point: the middle of its pixel.
// value: 0.5 0.5 0.5 1
#version 330
out vec4 color;
void main() {
    color = gl_FragCoord;
}
