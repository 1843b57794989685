#version 300 es
// ES 3.00, 4.3.8: The names of layouts have their case.
precision highp float;
layout(Location = 0) out vec4 color; //~ error: there is no layout `Location`

void main() {
    color = vec4(1.0);
}
