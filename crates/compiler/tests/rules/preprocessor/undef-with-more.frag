#version 300 es
// ES 3.00, 3.4: `#undef` takes one name and nothing more.
precision highp float;
out vec4 color;
#define A
#undef A B //~ error: unexpected text after `#undef`

void main() {
    color = vec4(1.0);
}
