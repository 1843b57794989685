#version 300 es
// ES 3.00, 3.4: What a macro gives is no directive.
precision highp float;
out vec4 color;
#define HASH # //~ error: GLSL has no `#` in the text of a macro
HASH define A 1.0 //~ error: `#` outside a directive

void main() {
    color = vec4(1.0);
}
