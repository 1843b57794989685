#version 300 es
// ES 3.00, 4.3.8.2: There are as many locations as the machine has outputs: four.
precision highp float;
layout(location = 4) out vec4 a; //~ error

void main() {
}
