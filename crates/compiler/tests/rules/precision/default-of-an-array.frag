#version 300 es
// ES 3.00, 4.5.4: A default is for a type, not for an array of it.
precision highp float;
out vec4 color;
precision highp float[2]; //~ error: a default precision is for `float`, `int` or a sampler

void main() {
    color = vec4(1.0);
}
