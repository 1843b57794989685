// ES 1.00, 5.8: Vectors of ints are not converted.
#version 100
precision mediump float;
void main() {
    vec2 a = ivec2(1, 2); //~ error: the initial value is of type `ivec2`; expected `vec2`
    vec2 b = ivec2(3, 4) * vec2(2.0); //~ error: `*` does not take `ivec2` and `vec2`
    gl_FragColor = vec4(a, b);
}
