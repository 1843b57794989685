// ES 1.00, 5.4: A constructor has the name of a type.
#version 100
precision mediump float;
void main() {
    vec2 a = vec5(1.0); //~ error: there is no function `vec5`
    vec2 b = float2(1.0, 2.0); //~ error: there is no function `float2`
}
