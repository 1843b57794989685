#version 300 es
// ES 3.00, 4.3.8.2: A location has a number.
precision highp float;
layout(location) out vec4 a; //~ error: `location` needs a number

void main() {
}
