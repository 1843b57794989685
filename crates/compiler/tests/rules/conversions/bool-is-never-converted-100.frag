// ES 1.00, 5.8: bool is neither converted to a number nor from one.
#version 100
precision mediump float;
float f(float a) { return a; }

void main() {
    float a = true; //~ error
    int b = false; //~ error
    bool c = 1; //~ error
    float d = f(true); //~ error
    vec2 e = bvec2(true); //~ error
    bool g = 0.0; //~ error
}
