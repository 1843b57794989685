#version 300 es
// ES 3.00, 9: A semicolon alone is no declaration.
precision highp float;
out vec4 color;
; //~ error: in GLSL ES 3.00 a `;` declares nothing

void main() {
    color = vec4(1.0);
}
