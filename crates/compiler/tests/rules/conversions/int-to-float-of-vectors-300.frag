#version 300 es
// ES 3.00, 5.8: Vectors of ints are not converted.
precision highp float;
out vec4 color;
void main() {
    vec2 a = ivec2(1, 2); //~ error: the initial value is of type `ivec2`; expected `vec2`
    vec2 b = ivec2(3, 4) * vec2(2.0); //~ error: `*` does not take `ivec2` and `vec2`
    color = vec4(a, b);
}
