// ES 1.00, 4.3.2: A constant has an initial value.
#version 100
precision mediump float;
const float g; //~ error

void main() {
    const vec4 a; //~ error
}
