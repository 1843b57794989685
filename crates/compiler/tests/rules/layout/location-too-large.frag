#version 300 es
// ES 3.00, 4.3.8.2: There are as many locations as the machine has outputs: four.
precision highp float;
layout(location = 4) out vec4 a; //~ error: output 4 of `a` is out of range: there are 4 outputs

void main() {
}
