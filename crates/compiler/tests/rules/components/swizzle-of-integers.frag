#version 300 es
// ES 3.00, 5.5: Vectors of integers and bools have the same components.
// value: 2 1 1 0
precision highp float;
out vec4 color;
void main() {
    ivec2 a = ivec2(1, 2);
    bvec2 b = bvec2(true, false);
    color = vec4(a.yx, b.st);
}
