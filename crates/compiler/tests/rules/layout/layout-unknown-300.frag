#version 300 es
// ES 3.00, 4.3.8: A layout is one of those of the language.
precision highp float;
layout(place = 0) out vec4 a; //~ error: there is no layout `place`
layout(std140) out vec4 b; //~ error: `std140` is for uniform blocks

void main() {
}
