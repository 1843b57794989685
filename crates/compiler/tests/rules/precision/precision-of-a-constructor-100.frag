// ES 1.00, 5.4: A constructor has no precision.
#version 100
precision mediump float;
void main() {
    vec2 a = mediump vec2(1.0); //~ error
}
