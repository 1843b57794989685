#version 300 es
// ES 3.00, 3.4: No `#elif` follows `#else`.
precision highp float;
out vec4 color;
#if 1
#else
#elif 1 //~ error: `#elif` after `#else`
#endif

void main() {
    color = vec4(1.0);
}
