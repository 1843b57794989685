#version 300 es
// ES 3.00, 4.3.8.2: A location is a literal number.
precision highp float;
const int n = 0;
layout(location = n) out vec4 a; //~ error: in GLSL ES 3.00 `location` takes a whole number
layout(location = 1 + 1) out vec4 b; //~ error: in GLSL ES 3.00 `location` takes a whole number
layout(location = 1.0) out vec4 c; //~ error: in GLSL ES 3.00 `location` takes a whole number

void main() {
}
