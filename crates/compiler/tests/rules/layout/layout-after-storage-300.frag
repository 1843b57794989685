#version 300 es
// ES 3.00, 4.7: A layout comes before the storage.
precision highp float;
out layout(location = 0) vec4 a; //~ error: `layout` comes before `out` in GLSL ES 3.00

void main() {
}
