// ES 1.00, 5.4: A constructor has arguments.
#version 100
precision mediump float;
void main() {
    float a = float(); //~ error
    vec2 b = vec2(); //~ error
    mat2 c = mat2(); //~ error
}
