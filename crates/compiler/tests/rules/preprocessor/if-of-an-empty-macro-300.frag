#version 300 es
// ES 3.00, 3.4: A macro of no text gives no condition.
precision highp float;
out vec4 color;
#define EMPTY
#if EMPTY //~ error: expected a condition
#endif

void main() {
    color = vec4(1.0);
}
