#version 300 es
// ES 3.00, 4.1.7: A function returns no sampler.
precision highp float;
out vec4 color;
uniform sampler2D s;
sampler2D f() { //~ error: a function cannot have a sampler as its result
    return s;
}

void main() {
    color = vec4(1.0);
}
