// ES 1.00, 5.4: No number is made from an array.
#version 100
precision mediump float;
void main() {
    float w[2];
    w[0] = 1.0;
    w[1] = 1.0;
    float a = float(w); //~ error: `float` is not made of (float[2])
    vec2 b = vec2(w); //~ error: `vec2` is not made of (float[2])
}
