#version 300 es
// ES 3.00, 4.1.7: A sampler of a parameter is not assigned.
precision highp float;
out vec4 color;
uniform sampler2D s;
void f(sampler2D t) {
    t = s; //~ error: samplers cannot be assigned
}

void main() {
    color = vec4(1.0);
}
