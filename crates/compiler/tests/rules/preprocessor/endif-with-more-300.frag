#version 300 es
// ES 3.00, 3.4: Nothing follows `#endif` in its line.
precision highp float;
out vec4 color;
#if 1
#endif A //~ error: unexpected text after `#endif`

void main() {
    color = vec4(1.0);
}
