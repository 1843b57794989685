#version 300 es
// ES 3.00, 4.3.8: A layout is one of those of the language.
precision highp float;
layout(place = 0) out vec4 a; //~ error
layout(std140) out vec4 b; //~ error

void main() {
}
