#version 300 es
// ES 3.00, 3.4: `__LINE__` in the text of a macro is the line where its use ends.
// value: 12 10 11 1
precision highp float;
out vec4 color;
#define HERE(a, b) vec2(__LINE__, a)
#define ONE __LINE__

void main() {
    color.xy = HERE(__LINE__,
        1
    );
    color.zw = vec2(11, ONE - 12);
}
