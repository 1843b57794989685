// GLSL 3.30, 4.5: Precisions are read on the desktop, and have no effect.
// value: 1 2 3 1
#version 330
out vec4 color;
precision highp float;
precision mediump int;
uniform lowp sampler2D s;
highp float f(mediump float a) { return a; }

void main() {
    lowp float a = 1.0;
    mediump vec2 b = vec2(2.0);
    color = vec4(a, b.x, f(3.0), 1.0);
}
