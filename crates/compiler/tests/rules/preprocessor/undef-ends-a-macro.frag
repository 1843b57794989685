#version 300 es
// ES 3.00, 3.4: After `#undef` a name has no text any more.
precision highp float;
out vec4 color;
#define A 1.0
#undef A

void main() {
    color = vec4(A); //~ error: there is no variable `A`
}
