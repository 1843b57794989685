#version 300 es
// ES 3.00, 3.4: `true` is a name for the preprocessor, and it is not defined.
precision highp float;
out vec4 color;
#if true //~ error: `true` is not a macro
#endif

void main() {
    color = vec4(1.0);
}
