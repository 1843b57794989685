#version 300 es
// ES 3.00, 3.4: A name that is not defined is no number in `#elif`.
precision highp float;
out vec4 color;
#if 0
#elif NOT_DEFINED == 1 //~ error: `NOT_DEFINED` is not a macro
#endif

void main() {
    color = vec4(1.0);
}
