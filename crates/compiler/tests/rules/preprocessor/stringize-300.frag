#version 300 es
// ES 3.00, 3.4: There are no strings, so no operator `#` makes one.
precision highp float;
out vec4 color;
#define S(x) #x //~ error: GLSL has no `#` in the text of a macro

void main() {
    float a = S(b); //~ error: `#` outside a directive
}
