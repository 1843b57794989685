#version 300 es
// ES 3.00, 3.4: An argument is put in as text, not as a value.
// value: 7 9 0 1
precision highp float;
out vec4 color;
#define TWICE(x) x * 2.0
#define SAFE(x) (x) * 2.0

void main() {
    color = vec4(TWICE(1.0 + 3.0), SAFE(1.0 + 3.5), 0.0, 1.0);
}
