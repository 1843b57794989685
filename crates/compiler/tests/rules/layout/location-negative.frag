#version 300 es
// ES 3.00, 4.3.8.2: A location is an integer of at least 0.
precision highp float;
layout(location = -1) out vec4 a; //~ error: in GLSL ES 3.00 `location` takes a whole number

void main() {
}
