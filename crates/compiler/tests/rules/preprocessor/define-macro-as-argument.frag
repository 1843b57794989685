#version 300 es
// ES 3.00, 3.4: A macro may be the argument of another, and of itself.
// value: 8 12 0 1
precision highp float;
out vec4 color;
#define TWICE(x) (2.0 * (x))
#define APPLY(f, x) f(x)

void main() {
    color = vec4(TWICE(TWICE(2.0)), APPLY(TWICE, 6.0), 0.0, 1.0);
}
