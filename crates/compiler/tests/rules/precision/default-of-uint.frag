#version 300 es
// ES 3.00, 4.5.4: The default of int is that of uint; uint has none of its own.
precision highp float;
out vec4 color;
precision highp uint; //~ error: a default precision is for `float`, `int` or a sampler

void main() {
    color = vec4(1.0);
}
