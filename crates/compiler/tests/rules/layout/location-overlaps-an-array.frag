#version 300 es
// ES 3.00, 4.3.8.2: An array takes as many locations as it has elements.
precision highp float;
layout(location = 0) out vec4 a[2];
layout(location = 1) out vec4 b; //~ error: output 1 has two names, `b` is the second

void main() {
    a[0] = vec4(1.0);
    a[1] = vec4(1.0);
    b = vec4(1.0);
}
