#version 300 es
// ES 3.00, 3.4: There is no operator `sizeof`.
precision highp float;
out vec4 color;
#if sizeof(int) == 4 //~ error: expected one condition
#endif

void main() {
    color = vec4(1.0);
}
