#version 300 es
// ES 3.00, 4.3.2: A constant has an initial value, an array too.
precision highp float;
out vec4 color;
const float a[2]; //~ error: the constant `a` needs a value

void main() {
    color = vec4(1.0);
}
