#version 300 es
// ES 3.00, 3.4: `#error` in a group that is left out is none.
// value: 1 0 0 1
precision highp float;
out vec4 color;
#ifndef GL_ES
#error this is not ES
#endif

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
