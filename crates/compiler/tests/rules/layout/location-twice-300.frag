#version 300 es
// ES 3.00, 4.3.8.2: Two outputs have different locations.
precision highp float;
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b; //~ error: output 0 has two names, `b` is the second

void main() {
    a = vec4(1.0);
    b = vec4(1.0);
}
