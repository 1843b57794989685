#version 300 es
// ES 3.00, 3.4: A condition has one `#else`.
precision highp float;
out vec4 color;
#if 1
#else
#else //~ error
#endif

void main() {
    color = vec4(1.0);
}
