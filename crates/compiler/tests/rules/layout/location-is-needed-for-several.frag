#version 300 es
// ES 3.00, 4.3.8.2: With several outputs each has a location.
precision highp float;
out vec4 a; //~ error: the output `a` needs a location, as there are several
layout(location = 1) out vec4 b;
void main() {
    a = vec4(1.0);
    b = vec4(1.0);
}
