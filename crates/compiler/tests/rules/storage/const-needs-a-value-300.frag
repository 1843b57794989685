#version 300 es
// ES 3.00, 4.3.2: A constant has an initial value.
precision highp float;
out vec4 color;
const float g; //~ error

void main() {
    const vec4 a; //~ error
}
