#version 300 es
// ES 3.00, 3.4: The name of a macro with arguments that no `(` follows is an ordinary name.
// value: 3 4 0 1
precision highp float;
out vec4 color;
#define value(x) (x)

void main() {
    float value = 3.0;
    color = vec4(value, value(4.0), 0.0, 1.0);
}
