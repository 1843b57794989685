#version 300 es
// ES 3.00, 3.4: A macro is expanded after a point, too.
// value: 2 1 0 1
precision highp float;
out vec4 color;
#define FLIP yx
#define LAST w

void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.LAST = 1.0;
    color = vec4(v.FLIP, 0.0, v.LAST);
}
