#version 300 es
// ES 3.00, 5.8: Vectors of ints are not converted.
precision highp float;
out vec4 color;
void main() {
    vec2 a = ivec2(1, 2); //~ error
    vec2 b = ivec2(3, 4) * vec2(2.0); //~ error
    color = vec4(a, b);
}
