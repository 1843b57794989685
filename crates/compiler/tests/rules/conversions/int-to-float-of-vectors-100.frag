// ES 1.00, 5.8: Vectors of ints are not converted.
#version 100
precision mediump float;
void main() {
    vec2 a = ivec2(1, 2); //~ error
    vec2 b = ivec2(3, 4) * vec2(2.0); //~ error
    gl_FragColor = vec4(a, b);
}
