#version 300 es
// ES 3.00, 3.4: A macro may be called like a function, and hides it.
// value: 5 0 0 1
precision highp float;
out vec4 color;
#define texture2D(s, p) 5.0
#define sin(x) (x)

void main() {
    color = vec4(texture2D(0, 0), sin(0.0), 0.0, 1.0);
}
